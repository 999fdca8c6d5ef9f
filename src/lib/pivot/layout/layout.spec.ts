import { describe, expect, it } from 'vitest';
import type { ColumnEntry } from '../../contract/columns';
import {
  cleanLayout,
  defaultLayout,
  monthOrder,
  sliceContextOf,
  withMonthsInOrder,
  fittingLimits,
  renamed,
} from './layout';

const column = (cname: string, role: ColumnEntry['role'], more: Partial<ColumnEntry> = {}) => ({
  ...{ cname, role, label: null, is_key: false, opos: null, dim_group: null },
  ...{ dim_period_col: null, in_grain: false, type: null },
  ...more,
});

const COLUMNS = [
  column('Order Date', 'date', { dim_group: 'order' }),
  column('Order Year', 'dimension', { dim_group: 'order', dim_period_col: 'cal_year' }),
  column('Order ID', 'dimension'),
  column('Category', 'dimension'),
  column('State', 'dimension'),
  column('Sales', 'value'),
  column('Quantity', 'units'),
];
const SCHEMA = {
  pf_id: 'integer',
  'Order Date': 'date',
  'Order Year': 'integer',
  'Order ID': 'string',
  Category: 'string',
  State: 'string',
  Sales: 'float',
  Quantity: 'integer',
} as const;
const FACTS = new Map([
  ['Order ID', { distinct: 5000, months: 0 }],
  ['Category', { distinct: 3, months: 0 }],
  ['State', { distinct: 49, months: 0 }],
  ['Order Date', { distinct: 700, months: 24 }],
]);

describe('defaultLayout', () => {
  it('puts months in columns and dimensions with few values in rows', () => {
    expect(defaultLayout(COLUMNS, SCHEMA, FACTS)).toEqual({
      plugin: 'Datagrid',
      group_by: ['Category', 'State'],
      split_by: ['Order Date (month)'],
      columns: ['Sales', 'Quantity'],
      expressions: { 'Order Date (month)': `bucket("Order Date", 'M')` },
      depth: 0,
    });
  });

  it('uses years if there are too many months', () => {
    const facts = new Map(FACTS).set('Order Date', { distinct: 1461, months: 48 });
    const layout = defaultLayout(COLUMNS, SCHEMA, facts);
    expect(layout.expressions).toEqual({ 'Order Date (year)': `bucket("Order Date", 'Y')` });
  });

  it('uses a period for the columns if the grain omits the date', () => {
    const { 'Order Date': _, ...schema } = SCHEMA;
    const layout = defaultLayout(COLUMNS, schema, FACTS);
    expect(layout).toMatchObject({ group_by: ['Category', 'State'], split_by: ['Order Year'] });
  });

  it('uses key columns for the rows if the source marks any', () => {
    const marked = COLUMNS.map((c) => ({ ...c, is_key: c.cname === 'State' }));
    expect(defaultLayout(marked, SCHEMA, FACTS).group_by).toEqual(['State']);
  });
});

describe('cleanLayout', () => {
  it('drops names that are not loaded from every part of a layout', () => {
    const { layout, dropped } = cleanLayout(
      {
        group_by: ['Category', 'gone'],
        split_by: ['broken'],
        columns: ['Sales', 'gone', null],
        filter: [['gone', '==', 1]],
        sort: [['gone', 'desc']],
        aggregates: { gone: 'sum', Sales: 'avg' },
        columns_config: { gone: {} },
        expressions: { broken: 'foo(', Month: `bucket("Order Date", 'M')` },
      },
      SCHEMA,
      new Set(['Month']),
    );
    expect(layout).toEqual({
      group_by: ['Category'],
      split_by: [],
      columns: ['Sales'],
      filter: [],
      sort: [],
      aggregates: { Sales: 'avg' },
      columns_config: {},
      expressions: { Month: `bucket("Order Date", 'M')` },
    });
    expect(dropped).toEqual(['broken', 'gone']);
  });
});

describe('months', () => {
  const month = column('Month', 'dimension');

  it('are recognised by their names, and sort in calendar order', () => {
    const order = monthOrder(month, [month], ['Apr', 'Feb', null]);
    expect(order).toEqual({
      by: 'Month (calendar order)',
      expression: `if ("Month" == 'Apr') 4; else if ("Month" == 'Feb') 2; else 13`,
    });
  });

  it('sort by the number of a fiscal month where it is loaded', () => {
    const name = column('Month', 'dimension', {
      dim_group: 'o',
      dim_period_col: 'fisc_month_abbr',
    });
    const number = column('No', 'dimension', { dim_group: 'o', dim_period_col: 'fisc_month' });
    expect(monthOrder(name, [name, number], ['Jul', 'Jan'])).toEqual({
      by: 'No',
      expression: null,
    });
  });

  it('are not guessed from other text', () => {
    expect(monthOrder(month, [month], ['Jan', 'Total'])).toBeNull();
    expect(monthOrder(month, [month], ['March Ltd'])).toBeNull();
    expect(monthOrder(month, [month], [null])).toBeNull();
  });

  const months = new Map([['Month', { by: 'order', expression: 'e' }]]);

  it('are sorted in rows and columns, in addition to the sort order of the user', () => {
    const layout = { group_by: ['Month'], split_by: ['Month'] };
    expect(withMonthsInOrder(layout, months)).toMatchObject({
      sort: [
        ['order', 'asc'],
        ['order', 'col asc'],
      ],
      expressions: { order: 'e' },
      aggregates: { order: 'min' },
    });
    const sorted = withMonthsInOrder({ ...layout, sort: [['Sales', 'desc']] }, months);
    expect(sorted.sort).toEqual([
      ['Sales', 'desc'],
      ['order', 'col asc'],
    ]);
  });

  it('leave no sort order behind when they are no longer shown', () => {
    const layout = { group_by: ['Region'], sort: [['order', 'asc'] as [string, string]] };
    expect(withMonthsInOrder(layout, months).sort).toEqual([]);
  });
});

describe('sliceContextOf', () => {
  const layout = {
    group_by: ['Region', 'made', 'upper'],
    expressions: { made: '"Region"', upper: 'upper("Region")', unused: '1' },
  };

  it('returns the same key if the expressions come in another order', () => {
    const { made, upper, unused } = layout.expressions;
    const reordered = { ...layout, expressions: { unused, upper, made } };
    expect(sliceContextOf(reordered)).toBe(sliceContextOf(layout));
  });

  it('returns another key if an expression of a row changes, not if an unused one does', () => {
    const changed = (name: string) => ({
      ...layout,
      expressions: { ...layout.expressions, [name]: '2' },
    });
    expect(sliceContextOf(changed('made'))).not.toBe(sliceContextOf(layout));
    expect(sliceContextOf(changed('unused'))).toBe(sliceContextOf(layout));
  });
});

describe('limits of a layout', () => {
  const limits = {
    Customer: { keep: 'top', number: 3, by: 'Sales' },
    Area: { keep: 'above', number: 0, by: 'Margin' },
  } as const;
  const of = (group_by: string[], columns: string[]) =>
    fittingLimits(limits, { group_by, columns }, (name) => name !== 'Margin');

  it('end with their field in the rows or their measure, unless these cannot be read', () => {
    expect(of(['Customer', 'Area'], ['Sales'])).toEqual(limits);
    expect(of(['Area'], ['Sales'])).toEqual({ Area: limits.Area });
    expect(of(['Customer'], ['Units'])).toBeUndefined();
  });

  it('follow new names of fields and measures', () => {
    const names = new Map([
      ['Customer', 'Client'],
      ['Sales', 'Revenue'],
      ['Margin', null],
    ]);
    expect(renamed({ limits }, names).limits).toEqual({
      Client: { keep: 'top', number: 3, by: 'Revenue' },
    });
    expect(renamed({ limits }, new Map([['Area', null]])).limits).toEqual({
      Customer: limits.Customer,
    });
  });
});
