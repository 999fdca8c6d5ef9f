import { describe, expect, it } from 'vitest';
import { printed, unprinted } from './cell-value';
import { readPrinted } from './printed-columns';

describe('what the engine prints for a column', () => {
  it('tells the values behind it', () => {
    const paths = [
      'Furniture|2028-01-01|Sales',
      'Furniture|2028-01-01|Units',
      'Other|2028-02-01|Sales',
      'Other|2028-02-01|Units',
    ];
    expect(readPrinted(paths, ['string', 'date'], ['Sales', 'Units'])).toEqual([
      ['Furniture', Date.UTC(2028, 0)],
      ['Furniture', Date.UTC(2028, 0)],
      ['Other', Date.UTC(2028, 1)],
      ['Other', Date.UTC(2028, 1)],
    ]);
  });

  it('tells them apart from the name of a measure', () => {
    expect(readPrinted(['a|b|c', 'a|c'], ['string'], ['b|c', 'c'])).toEqual([['a'], ['a']]);
    expect(readPrinted(['a|b|c'], ['string'], ['c'])).toBeNull();
  });

  it.each([
    { why: 'an empty value or the text "null"', path: 'null|Sales', type: 'string' },
    { why: 'an empty text', path: '|Sales', type: 'string' },
    { why: 'a fraction, of which it prints six digits', path: '0.333333|Sales', type: 'float' },
    { why: 'a text with a separator', path: 'a|b|Sales', type: 'string' },
    { why: 'a column of an unknown type', path: 'a|Sales', type: undefined },
    { why: 'a column that is not shown', path: 'a|Rank', type: 'string' },
  ] as const)('tells nothing if it could be $why', ({ path, type }) => {
    expect(readPrinted([path], [type], ['Sales'])).toBeNull();
  });

  it('tells nothing if two columns look alike', () => {
    expect(readPrinted(['a|Sales', 'a|Sales'], ['string'], ['Sales'])).toBeNull();
  });
});

describe('a printed value', () => {
  it.each([
    ['string', 'a'],
    ['string', '1'],
    ['string', ' '],
    ['integer', 0],
    ['integer', -12_345_678],
    ['boolean', true],
    ['boolean', false],
    ['date', Date.UTC(2028, 1, 29)],
    ['date', Date.UTC(12_028, 0, 1)],
    ['datetime', Date.UTC(2028, 1, 29, 23, 59, 59, 999)],
  ] as const)('is read back as %s: %s', (type, value) => {
    expect(unprinted(printed(value, type), type)).toBe(value);
  });

  it.each([
    ['integer', '1.5e3'],
    ['integer', ' 7'],
    ['boolean', 'yes'],
    ['date', '2028-2-9'],
    ['datetime', '2028-02-29'],
    ['float', '1'],
    ['string', 'null'],
    ['string', ''],
  ] as const)('is not guessed from what no %s is printed as: "%s"', (type, text) => {
    expect(unprinted(text, type)).toBeUndefined();
  });
});
