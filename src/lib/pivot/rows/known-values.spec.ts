import { columnFromArray, dictionary, float64, int32, utf8 } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import { KnownValues } from './known-values';

const texts = (...values: (string | null)[]) =>
  columnFromArray(values, dictionary(utf8(), int32()));

describe('the values of a column', () => {
  it('are those of its rows, the empty one first, including rows that are added later', () => {
    const known = new KnownValues(
      new Map([
        ['region', texts('West', null, '', 'East', 'West')],
        ['year', columnFromArray([2028, 2027, 2028], int32())],
      ]),
      ['region', 'year', 'gone'],
    );
    expect(known.of('region')).toEqual([null, '', 'East', 'West']);
    expect(known.of('year')).toEqual([2027, 2028]);
    expect(known.of('gone')).toBeNull();
    known.add(new Map([['region', columnFromArray(['South'], utf8())]]));
    expect(known.of('region')).toEqual([null, '', 'East', 'South', 'West']);
    expect(known.of('year')).toEqual([null, 2027, 2028]);
  });

  it('are unknown after rows were removed, until the values are set again', () => {
    const known = new KnownValues(new Map([['region', texts('West')]]), ['region']);
    known.forget();
    expect(known.of('region')).toBeNull();
    known.set('region', ['East']);
    expect(known.of('region')).toEqual(['East']);
  });

  it('are sorted by the engine as by language, until a row of any version shows other names', () => {
    const known = new KnownValues(new Map([['region', texts('West', 'East')]]), ['region']);
    expect(known.isEngineOrder('region')).toBe(true);
    known.forget();
    expect(known.isEngineOrder('region')).toBe(true);
    known.noteOthers(new Map([['region', texts('apple', null)]]));
    expect(known.isEngineOrder('region')).toBe(false);
    expect(known.isEngineOrder('gone')).toBe(false);
    expect(known.of('region')).toBeNull();
  });

  it('are not cached if there are many', () => {
    const many = Array.from({ length: 20_001 }, (_, i) => i);
    const named = [
      ['number', columnFromArray(many, float64())],
      ['text', texts(...many.map(String))],
      ['few', texts('a')],
    ] as const;
    const known = new KnownValues(new Map(named), ['number', 'text', 'few']);
    expect([known.of('number'), known.of('text')]).toEqual([null, null]);
    known.add(new Map([['few', texts(...many.map(String))]]));
    expect(known.of('few')).toBeNull();
  });
});
