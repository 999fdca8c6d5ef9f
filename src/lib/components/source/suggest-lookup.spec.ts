import { describe, expect, it } from 'vitest';
import type { ColumnEntry } from '$lib/contract/columns';
import type { TablePreview } from '$lib/contract/sources';
import {
  areUnique,
  freeLabel,
  labelOf,
  likeness,
  matchOf,
  repeats,
  suggestKeys,
  suggestRange,
} from './suggest-lookup';

const column = (cname: string, type = 'text', role: ColumnEntry['role'] = 'dimension') =>
  ({ cname, label: null, type, role }) as ColumnEntry;

type Cell = string | number | null;

function table(types: Record<string, string>, ...rows: Cell[][]): TablePreview {
  const names = Object.keys(types);
  return {
    columns: names.map((cname) => ({ cname, type: types[cname]!, nullable: true })),
    rows: rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]))),
  };
}

const products = table(
  { id: 'integer', sku: 'text', family: 'text', launched: 'date' },
  [1, 'A-1', 'Chairs', '2026-01-01'],
  [2, 'A-2', 'Chairs', '2026-01-02'],
  [3, 'B-1', 'Desks', '2026-01-03'],
  [4, 'B-2', 'Desks', null],
);

describe('likeness', () => {
  it.each([
    ['Sub-Category', 'sub_category', 2],
    ['product', 'product_id', 1],
    ['Customer Name', 'customer', 1],
    ['product', 'family', 0],
    ['id', 'code', 0],
  ])('compares “%s” with “%s”: %i', (cname, from, expected) => {
    expect(likeness({ cname, label: null }, from)).toBe(expected);
  });

  it('uses the label of a column, too', () => {
    expect(likeness({ cname: 'art', label: 'Product' }, 'product')).toBe(2);
  });
});

describe('suggestKeys', () => {
  it('finds a key by its values if no name is alike', () => {
    const columns = [
      { column: column('region'), values: ['North', 'South'] },
      { column: column('article'), values: ['A-1', 'A-2', 'B-1', 'C-9'] },
    ];
    expect(suggestKeys(columns, products)).toEqual([{ column: 'article', from: 'sku' }]);
    expect(matchOf(columns[1]!.values, products, 'sku')).toEqual({ found: 3, of: 4 });
  });

  it('finds a key by its name before there are rows', () => {
    const empty = table({ sub_category: 'text', family: 'text' });
    expect(suggestKeys([{ column: column('Sub-Category'), values: [] }], empty)).toEqual([
      { column: 'Sub-Category', from: 'sub_category' },
    ]);
  });

  it('adds keys until no two rows have the same ones', () => {
    const rates = table(
      { country: 'text', product: 'text', manager: 'text' },
      ['DE', 'A', 'Ann'],
      ['DE', 'B', 'Ben'],
      ['FR', 'A', 'Ann'],
    );
    const columns = [
      { column: column('product'), values: ['A', 'B'] },
      { column: column('country'), values: ['DE', 'FR'] },
    ];
    const keys = suggestKeys(columns, rates);
    expect(keys.map(({ column: name }) => name).toSorted()).toEqual(['country', 'product']);
    expect(areUnique(keys, rates)).toBe(true);
  });

  it('joins no text with a number, and nothing without a match', () => {
    expect(suggestKeys([{ column: column('id'), values: ['1'] }], products)).toEqual([]);
    expect(suggestKeys([{ column: column('region'), values: ['North'] }], products)).toEqual([]);
  });
});

describe('suggestRange', () => {
  const date = column('Order Date', 'date', 'date');

  it.each([
    ['valid_to', 'valid_from'],
    ['week_end', 'week_start'],
    ['edat', 'sdat'],
    ['bis', 'von'],
  ])('takes “%s” as the last day and “%s” as the first', (through, from) => {
    const weeks = table({ week: 'text', [through]: 'date', [from]: 'date' });
    expect(suggestRange([date], weeks)).toEqual({ column: 'Order Date', from, through });
  });

  it('needs a date of the source and two of the table', () => {
    expect(suggestRange([date], products)).toBeNull();
    expect(suggestRange([], table({ sdat: 'date', edat: 'date' }))).toBeNull();
  });
});

it('repeats tells columns by which rows can be grouped', () => {
  expect(['id', 'sku', 'family', 'launched'].map((cname) => repeats(products, cname))).toEqual([
    ...[false, false, true, false],
  ]);
});

it('repeats leaves rates out, and counts groups of a small table', () => {
  const rates = table(
    { currency: 'text', area: 'text', rate: 'numeric(12,4)' },
    ...[
      ['USD', 'America', 1],
      ['CAD', 'America', 1],
      ['CHF', 'Europe', 1],
      ['SEK', 'Europe', 1],
      ['JPY', 'Asia', 1],
    ],
  );
  expect(['currency', 'area', 'rate'].map((cname) => repeats(rates, cname))).toEqual([
    ...[false, true, false],
  ]);
});

it('labelOf writes names of lower case as people do', () => {
  expect(['sales_manager', 'Family', 'SKU', 'família'].map(labelOf)).toEqual([
    ...['Sales manager', 'Family', 'SKU', 'família'],
  ]);
});

it('freeLabel puts a name before a label that is taken', () => {
  const taken = ['Category', 'Products region', 'Region'];
  expect(freeLabel('Family', 'Products', taken)).toBe('Family');
  expect(freeLabel('Category', 'Products', taken)).toBe('Products category');
  expect(freeLabel('Region', 'Products', taken)).toBe('Products region 2');
});
