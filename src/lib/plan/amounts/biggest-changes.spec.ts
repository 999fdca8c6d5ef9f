import { describe, expect, it } from 'vitest';
import { biggestChanges } from './biggest-changes';

const LEAF = ['Region', 'Day'];
const COLUMNS = { leaf: LEAF, measures: { value: 'Sales', units: 'Quantity' } };
const row = (Region: string | null, Sales: number | null, Quantity = 0) => ({
  Region,
  Day: '2028-01-01',
  Sales,
  Quantity,
  pf_logid: -1,
});

const answered = (rows: ReturnType<typeof row>[]) => ({
  count: rows.length,
  at: (name: string, y: number) => new Map(Object.entries(rows[y] ?? {})).get(name) ?? null,
});

const byValue = async (rows: ReturnType<typeof row>[], most: number) =>
  (await biggestChanges(answered(rows), COLUMNS, most)).get('value');

describe('biggestChanges', () => {
  it('returns the biggest changes first, by absolute value, up to a maximum', async () => {
    const rows = [row('North', 5), row('East', -20), row('West', 10), row('South', 1)];
    expect(await byValue(rows, 3)).toEqual([
      { values: ['East', '2028-01-01'], amounts: { value: -20, units: 0 } },
      { values: ['West', '2028-01-01'], amounts: { value: 10, units: 0 } },
      { values: ['North', '2028-01-01'], amounts: { value: 5, units: 0 } },
    ]);
  });

  it('adds up the rows of a leaf, and omits an unchanged leaf', async () => {
    const rows = [row('North', 0.1), row('East', 7), row('North', 0.2), row('East', -7)];
    expect(await byValue(rows, 10)).toEqual([
      { values: ['North', '2028-01-01'], amounts: { value: 0.3, units: 0 } },
    ]);
  });

  it('uses the units if no value changes', async () => {
    const rows = [row('North', null, 2), row('East', 0, -3)];
    const found = await biggestChanges(answered(rows), COLUMNS, 10);
    expect([...found.keys()]).toEqual(['units']);
    expect(found.get('units')?.map(({ amounts }) => amounts['units'])).toEqual([-3, 2]);
  });

  it('lists each measure by its own changes, and half as many leaves if several change', async () => {
    const rows = [row('North', 5, 1), row('East', -20, 0), row('West', 10, 4), row('South', 0, -2)];
    const found = await biggestChanges(answered(rows), COLUMNS, 4);
    const regions = [...found].map(([key, leaves]) => [key, leaves.map(({ values }) => values[0])]);
    expect(regions).toEqual([
      ['value', ['East', 'West']],
      ['units', ['West', 'South']],
    ]);
  });

  it('uses a further measure if neither value nor units change', async () => {
    const columns = { leaf: LEAF, measures: { Quantity: 'Quantity' } };
    const rows = [row('North', null, 2), row('East', 0, -3)];
    const found = await biggestChanges(answered(rows), columns, 1);
    expect(found.get('Quantity')).toEqual([
      { values: ['East', '2028-01-01'], amounts: { Quantity: -3 } },
    ]);
  });

  it('distinguishes the empty value from the text "null"', async () => {
    const rows = [row(null, 1), row('null', 2)];
    expect(await byValue(rows, 10)).toHaveLength(2);
  });

  it('accepts rows without a measure that the source lacks', async () => {
    const columns = { leaf: LEAF, measures: { value: 'Sales' } };
    const found = await biggestChanges(answered([row('North', 1, 9)]), columns, 10);
    expect(found.get('value')).toEqual([
      { values: ['North', '2028-01-01'], amounts: { value: 1 } },
    ]);
  });
});
