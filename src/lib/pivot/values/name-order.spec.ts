import { describe, expect, it } from 'vitest';
import { inOrder, isEngineOrder, listedFirst, valuesToList } from './name-order';

describe('the order of values', () => {
  it('sorts texts by the rules of the language, with numbers in them by size', () => {
    const names = ['Zebra', 'Öl', 'Item 10', 'Opal', 'apple', 'Item 9', 'Éclair', 'Apfel'];
    expect(names.sort(inOrder)).toEqual([
      ...['Apfel', 'apple', 'Éclair', 'Item 9', 'Item 10', 'Öl', 'Opal', 'Zebra'],
    ]);
  });

  it('gives each of two texts that the language does not tell apart a place of its own', () => {
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
    expect([composed, decomposed].sort(inOrder)).toEqual([decomposed, composed]);
    expect([decomposed, composed].sort(inOrder)).toEqual([decomposed, composed]);
  });

  it('sorts numbers by size and the empty value first', () => {
    expect([10, null, 9, -1].sort(inOrder)).toEqual([null, -1, 9, 10]);
    expect(['b', null, '', 'a'].sort(inOrder)).toEqual([null, '', 'a', 'b']);
  });

  it('shows listed values first and all others in their usual order', () => {
    const order = listedFirst(['West', null, 'East'], inOrder);
    expect(['North', null, 'Ähren', 'East', 'West', 'B'].sort(order)).toEqual([
      ...['West', null, 'East', 'Ähren', 'B', 'North'],
    ]);
  });

  it('leaves unlisted values in their own order, such as that of months', () => {
    const months = ['Jan', 'Feb', 'Mar', 'Apr'];
    expect(months.toSorted(listedFirst(['Mar'], null))).toEqual(['Mar', 'Jan', 'Feb', 'Apr']);
  });

  it('lists only the values before the end that is sorted as usual', () => {
    const usual = ['Jan', 'Feb', 'Mar', 'Apr'];
    expect(valuesToList(usual, usual)).toEqual([]);
    expect(valuesToList(['Mar', 'Jan', 'Feb', 'Apr'], usual)).toEqual(['Mar']);
    expect(valuesToList(['Jan', 'Apr', 'Feb', 'Mar'], usual)).toEqual(['Jan', 'Apr']);
    expect(valuesToList(['gone', 'Jan'], ['Jan'])).toEqual(['gone']);
    expect(valuesToList([], [])).toEqual([]);
  });

  it('tells the text "null" from the empty value', () => {
    expect(['null', 'a', null].sort(listedFirst([null, 'a'], inOrder))).toEqual([
      null,
      'a',
      'null',
    ]);
  });

  it('knows whether the engine sorts in the same way', () => {
    expect(isEngineOrder(['West', null, 'East', 'North'])).toBe(true);
    expect(isEngineOrder(['apple', 'Zebra'])).toBe(false);
    expect(isEngineOrder(['Item 9', 'Item 10'])).toBe(false);
    expect(isEngineOrder([])).toBe(true);
  });
});
