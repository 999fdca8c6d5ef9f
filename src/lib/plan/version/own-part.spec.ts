import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Slice } from '../../contract/slices';
import { admits } from '../../pivot/slice/slice-values';
import { readsPart } from '../../contract/territories';
import { asSeen, changeableOf, insidePart, ownFilters, seenIn } from './own-part';

const NORTH = { Region: 'North' };
const BOTH = { Region: ['North', 'East'] };
const own = (read: Slice[], write: Slice[]) => ({ territory: { read, write } });

describe('the part that a user may change', () => {
  it('is everything for a user without a part', () => {
    expect(changeableOf({}, {})).toBe('all');
    expect(readsPart({})).toBe(false);
  });

  it('is everything that is seen if the same may be changed', () => {
    expect(changeableOf(own([BOTH], [BOTH]), {})).toBe('all');
    expect(changeableOf(own([BOTH, { Product: 'x' }], [{ Product: 'x' }, BOTH]), {})).toBe('all');
    expect(readsPart(own([BOTH], [BOTH]))).toBe(true);
  });

  it('is some of a slice that reaches beyond it, and none of one outside', () => {
    const part = own([{}], [NORTH]);
    expect(readsPart(part)).toBe(false);
    expect(changeableOf(part, {})).toBe('some');
    expect(changeableOf(part, { Product: 'x' })).toBe('some');
    expect(changeableOf(part, BOTH)).toBe('some');
    expect(changeableOf(part, { ...NORTH, Product: 'x' })).toBe('all');
    expect(changeableOf(part, { Region: 'East' })).toBe('none');
    expect(changeableOf(own([BOTH], []), NORTH)).toBe('none');
  });

  it('says all or none only if that is so for every row, for random territories', () => {
    const [regions, products] = [
      ['North', 'East', null],
      ['x', 'y'],
    ];
    const rows = regions.flatMap((Region) => products.map((Product) => ({ Region, Product })));
    const isIn = (slice: Slice, row: Record<string, string | null>) =>
      Object.entries(slice).every(([column, wanted]) => admits(wanted, row[column] ?? null));
    const slices = fc.record(
      {
        Region: fc.subarray(regions, { minLength: 1 }),
        Product: fc.subarray(products, { minLength: 1 }),
      },
      { requiredKeys: [] },
    );
    const parts = fc.array(fc.tuple(slices, fc.boolean()), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(slices, parts, (slice, territories) => {
        const read = territories.map(([part]) => part);
        const write = territories.flatMap(([part, isChanged]) => (isChanged ? [part] : []));
        const seen = rows.filter((row) => isIn(slice, row) && read.some((part) => isIn(part, row)));
        const changed = seen.map((row) => write.some((part) => isIn(part, row)));
        const found = changeableOf(own(read, write), slice);
        if (found === 'all') expect(changed).not.toContain(false);
        if (found === 'none') expect(changed).not.toContain(true);
      }),
    );
  });
});

describe('the first look of a user who sees more than they may change', () => {
  it.each<[what: string, write: Slice[], filters: unknown[]]>([
    ['one value', [NORTH], [['Region', '==', 'North']]],
    ['the empty value', [{ Region: null }], [['Region', 'is null', null]]],
    ['several values', [BOTH], [['Region', 'in', ['North', 'East']]]],
    ['a list with the empty value, which filters cannot have', [{ Region: ['North', null] }], []],
    [
      'days of a region',
      [{ ...NORTH, Day: { from: '2027-01-01', to: '2027-12-31' } }],
      [
        ['Region', '==', 'North'],
        ['Day', '>=', '2027-01-01'],
        ['Day', '<=', '2027-12-31'],
      ],
    ],
    ['several parts', [NORTH, { Product: 'x' }], []],
    ['everything', [{}], []],
    ['nothing', [], []],
  ])('is filtered to %s', (_, write, filters) => {
    expect(ownFilters(own([{}], write))).toEqual(filters);
  });

  it('has no filter for somebody who sees a part, or whom territories do not limit', () => {
    expect(ownFilters(own([BOTH], [NORTH]))).toEqual([]);
    expect(ownFilters({})).toEqual([]);
  });
});

describe('a slice of a user who sees a part', () => {
  const YEAR = { Day: { from: '2027-01-01', to: '2027-12-31' } };
  const both = own([NORTH, { Region: 'East' }], []);

  it.each<[what: string, part: ReturnType<typeof own>, slice: Slice, seen: Slice]>([
    ['is the same without the part', both, { ...BOTH, Product: 'x' }, { Product: 'x' }],
    ['is everything if it is the part', both, BOTH, {}],
    ['keeps a condition that only some of the rows fulfil', both, { ...NORTH }, NORTH],
    ['keeps a condition of which one territory says nothing', own([NORTH, YEAR], []), NORTH, NORTH],
    [
      'loses the days that include those of the part',
      own([YEAR], []),
      { Day: { from: '2026-05-01' } },
      {},
    ],
    ['stays as it is for a user who sees everything', own([{}], [NORTH]), BOTH, BOTH],
  ])('%s', (_, part, slice, seen) => {
    expect(asSeen(part, slice)).toEqual(seen);
  });

  it.each<[what: string, part: ReturnType<typeof own>, slice: Slice, inside: Slice]>([
    ['gets the values of the part', both, { Product: 'x' }, { ...BOTH, Product: 'x' }],
    ['keeps its own values', both, { ...NORTH, Product: 'x' }, { ...NORTH, Product: 'x' }],
    ['is the part if it is everything', own([BOTH], []), {}, BOTH],
    [
      'has the days that are also in the part',
      own([{ ...YEAR, ...NORTH }], []),
      { Day: { from: '2027-10-01', to: '2028-03-31' } },
      { Day: { from: '2027-10-01', to: '2027-12-31' }, ...NORTH },
    ],
    ['stays as it is if the part is several slices', own([NORTH, YEAR], []), {}, {}],
    ['stays as it is for a user who sees everything', own([{}], [NORTH]), {}, {}],
  ])('%s, before a comment or a review is made of it', (_, part, slice, inside) => {
    expect(insidePart(part, slice)).toEqual(inside);
  });

  it('is stored beside the one to compare with cells', () => {
    const stored = { id: 1, slice: { ...BOTH, Product: 'x' } };
    expect(seenIn(both)(stored)).toEqual({ ...stored, seen: { Product: 'x' } });
  });

  it('is the same after both', () => {
    const slices: Slice[] = [{}, { Product: 'x' }, { ...NORTH, Product: ['x', 'y'] }];
    for (const slice of slices) {
      expect(asSeen(both, insidePart(both, slice))).toEqual(slice);
    }
  });
});
