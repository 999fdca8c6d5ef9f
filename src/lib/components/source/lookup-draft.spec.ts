import { describe, expect, it } from 'vitest';
import type { ColumnEntry } from '$lib/contract/columns';
import type { CheckedLookup } from '$lib/contract/lookups';
import type { TablePreview } from '$lib/contract/sources';
import { LookupDraft, missingInGrain } from './lookup-draft.svelte';

const column = (cname: string, role: ColumnEntry['role'], more: Partial<ColumnEntry> = {}) =>
  ({ cname, label: null, type: role === 'date' ? 'date' : 'text', role, ...more }) as ColumnEntry;

const COLUMNS = [
  column('Order Date', 'date'),
  column('Product', 'dimension'),
  column('Region', 'dimension'),
  column('Sales', 'value'),
];
const PRODUCTS: TablePreview = {
  columns: ['product', 'family', 'region'].map((cname) => ({
    ...{ cname, type: 'text', nullable: true },
  })),
  rows: [
    { product: 'Oak', family: 'Chairs', region: 'North' },
    { product: 'Elm', family: 'Chairs', region: null },
  ],
};
const TABLE = { schema: 'public', tname: 'products' };
const keyColumns = [{ column: COLUMNS[1]!, values: ['Oak', 'Elm'] }];
const STORED: CheckedLookup = {
  ...{ id: 7, source_id: 1, name: 'Products', ...TABLE, range: null, problem: null },
  keys: [{ column: 'Product', from: 'product' }],
  attributes: [{ cname: 'family', label: 'Line', order_by: 'region' }],
  conversions: [],
  ...{ created_by: 'eve', created_at: '2026-11-29T08:00:00.000Z' },
};

describe('A new lookup', () => {
  it('of a table has a name, its key and columns that repeat', () => {
    const draft = new LookupDraft(COLUMNS, [], null);
    draft.chooseTable(TABLE, PRODUCTS, keyColumns);
    expect(draft.toRequest()).toEqual({
      ...{ name: 'Products', ...TABLE, range: null },
      keys: [{ column: 'Product', from: 'product' }],
      attributes: [{ cname: 'family', label: 'Family', order_by: null }],
      conversions: [],
    });
    expect(draft.offered.map(({ cname, label }) => [cname, label])).toEqual([
      ['family', 'Family'],
      ['region', 'Products region'],
    ]);
  });

  it('of the calendar has the fiscal year, quarter and period of a date', () => {
    const draft = new LookupDraft(COLUMNS, [], null);
    draft.chooseCalendar();
    expect(draft.toRequest()).toMatchObject({
      ...{ name: 'Fiscal and calendar periods', schema: 'pf', tname: 'dim_period', keys: [] },
      range: { column: 'Order Date', from: 'sdat', through: 'edat' },
      attributes: [
        { cname: 'fisc_year', label: 'Fiscal year' },
        { cname: 'fisc_quarter_label', label: 'Fiscal quarter' },
        { cname: 'fisc_label', label: 'Fiscal period' },
      ],
    });
    const labels = draft.attributes.map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('of the calendar names its fields by the date if another lookup has the names', () => {
    const attributes = [{ cname: 'y', label: 'Fiscal year', order_by: null }];
    const other = { attributes, conversions: [] };
    const draft = new LookupDraft(COLUMNS, [other], null);
    draft.chooseCalendar();
    expect(draft.attributes.find(({ cname }) => cname === 'fisc_year')?.label).toBe(
      'Order Date fiscal year',
    );
  });

  it('joins by days if keys are not unique', () => {
    const draft = new LookupDraft(COLUMNS, [], null);
    const preview: TablePreview = {
      columns: [
        { cname: 'product', type: 'text', nullable: true },
        { cname: 'valid_from', type: 'date', nullable: true },
        { cname: 'valid_to', type: 'date', nullable: true },
      ],
      rows: [
        { product: 'Oak', valid_from: '2026-01-01', valid_to: '2026-06-30' },
        { product: 'Oak', valid_from: '2026-07-01', valid_to: '2026-12-31' },
      ],
    };
    draft.chooseTable(TABLE, preview, keyColumns);
    expect(draft.range).toEqual({ column: 'Order Date', from: 'valid_from', through: 'valid_to' });
  });

  it('names missing fields from the first attempt to save it', () => {
    const draft = new LookupDraft(COLUMNS, [], null);
    draft.chooseTable(TABLE, PRODUCTS, []);
    draft.name = ' ';
    for (const attribute of draft.attributes) attribute.isChosen = false;
    expect(Object.values(draft.faults)).toEqual([null, null, null, null]);
    expect(draft.toRequest()).toBeNull();
    expect(draft.faults).toEqual({
      conversions: null,
      name: 'Enter a name.',
      keys: 'Add the column by which the table is joined.',
      attributes: 'Choose at least one column.',
    });
  });
});

describe('A stored lookup', () => {
  it('keeps its names and order beside the other columns of its table', () => {
    const draft = new LookupDraft(COLUMNS, [], STORED);
    draft.addColumns(PRODUCTS);
    expect(draft.toRequest()).toMatchObject({ keys: STORED.keys, attributes: STORED.attributes });
    expect(draft.offered.map(({ cname, example }) => [cname, example])).toEqual([
      ['family', 'Chairs'],
      ['region', 'North'],
    ]);
  });

  it('keeps a column that the table has lost', () => {
    const draft = new LookupDraft(COLUMNS, [], STORED);
    draft.addColumns({ ...PRODUCTS, columns: PRODUCTS.columns.slice(0, 1) });
    expect(draft.tableColumns.map(({ cname }) => cname)).toEqual(['product', 'family', 'region']);
    expect(draft.toRequest()?.attributes).toEqual(STORED.attributes);
  });
});

it('missingInGrain names columns that a grain lacks', () => {
  expect(missingInGrain(STORED, COLUMNS)).toEqual([]);
  const grain = COLUMNS.map((each) => ({ ...each, in_grain: each.cname === 'Region' }));
  expect(missingInGrain(STORED, grain)).toEqual(['Product']);
});

describe('Conversions', () => {
  const RATES: TablePreview = {
    columns: [
      { cname: 'product', type: 'text', nullable: false },
      { cname: 'plan_rate', type: 'numeric(10,4)', nullable: true },
      { cname: 'actual', type: 'double precision', nullable: true },
    ],
    rows: [
      { product: 'Oak', plan_rate: 1.1, actual: null },
      { product: 'Elm', plan_rate: 0.9, actual: 0.8 },
    ],
  };

  it('are offered for each measure and each number of the table, under free names', () => {
    const draft = new LookupDraft(COLUMNS, [], null);
    draft.chooseTable(TABLE, PRODUCTS, keyColumns);
    expect(draft.canConvert).toBe(false);
    draft.chooseTable(TABLE, RATES, keyColumns);
    expect(draft.rates).toEqual(['plan_rate', 'actual']);
    expect(draft.toRequest()).toBeNull();
    expect(draft.faults.attributes).toBe('Choose at least one column, or add a conversion.');
    draft.addConversion();
    draft.addConversion();
    const conversions = [
      { label: 'Sales, Plan rate', measure: 'Sales', rate: 'plan_rate' },
      { label: 'Sales, Actual', measure: 'Sales', rate: 'actual' },
    ];
    expect(draft.toRequest()).toMatchObject({ attributes: [], conversions });
    draft.removeConversion(0);
    draft.conversions[0]!.label = ' ';
    expect(draft.toRequest()).toBeNull();
    expect(draft.faults.conversions).toBe('Each conversion needs a name.');
  });

  it('are kept of a stored lookup, also if its table has lost the rate', () => {
    const conversions = [{ label: 'EUR', measure: 'Sales', rate: 'gone' }];
    const draft = new LookupDraft(COLUMNS, [], { ...STORED, conversions });
    expect(draft.rates).toContain('gone');
    expect(draft.toRequest()).toMatchObject({ conversions });
  });
});
