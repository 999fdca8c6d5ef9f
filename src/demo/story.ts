import type { Version } from '../lib/contract/versions';
import { joinProducts } from './products';
import { call, FIRST_ORDER_YEAR, type Sample } from './sample';

/** A change in the story: its author, its slice and its reason. */
interface Change {
  operation: 'scale' | 'recode' | 'clone';
  pf_user: string;
  note: string;
  slice: Record<string, unknown>;
  [amount: string]: unknown;
}

const MARGIN = 'Margin %';
const QUARTER = 'Order Date (quarter)';

/** A year by quarter beside its reference: the years before it have none. */
const layoutOf = (year: number) => ({
  plugin: 'Datagrid',
  group_by: ['Category', 'Sub-Category'],
  split_by: [QUARTER],
  expressions: { [QUARTER]: `bucket("Order Date", '3M')` },
  columns: ['Sales', 'Sales: reference', 'Sales: Δ %'],
  filter: [['Order Year', '==', year]],
  amounts: { Sales: { decimals: 0 } },
  total_column: 'end',
  depth: 1,
});

/** All measures of a year and the margin as a formula, with its difference to the reference. */
const marginOf = (year: number) => ({
  plugin: 'Datagrid',
  group_by: ['Category', 'Sub-Category'],
  columns: ['Sales', 'Quantity', 'Profit', MARGIN, `${MARGIN}: reference`, `${MARGIN}: Δ`],
  filter: [['Order Year', '==', year]],
  amounts: { Sales: { decimals: 0 }, Profit: { decimals: 0 } },
});

/** Families and managers of the products, which stand in another table, by quarter. */
const familiesOf = (year: number) => ({
  ...layoutOf(year),
  group_by: ['Manager', 'Family', 'Sub-Category'],
  depth: 1,
});

/**
 * Adds the work of some people to the sample's plan, which has the profit as a measure: the year before as a
 * reference, changes with their reasons, three months closed on actuals, the margin as a formula with a view, the
 * products as a lookup with another view, and a cautious scenario beside it. It needs the table public.products. The
 * demo opens on the first year that has a reference.
 * @throws with the service's error if it refuses a step
 */
export async function tellStory(
  url: string,
  { sourceId, versionId }: Sample,
  firstYear: number,
): Promise<void> {
  const year = (of: number) => ({ 'Order Date': { from: `${of}-01-01`, to: `${of}-12-31` } });
  const changes: Change[] = [
    {
      operation: 'scale',
      pf_user: 'Ann',
      note: 'New phones come in spring',
      slice: { 'Sub-Category': 'Phones', ...year(firstYear + 1) },
      pct: 12,
    },
    {
      operation: 'scale',
      pf_user: 'Ben',
      note: 'A large customer leaves',
      slice: { Region: 'East', Segment: 'Corporate', ...year(firstYear + 1) },
      value_incr: -15_000,
      with: ['Profit'],
    },
    {
      operation: 'clone',
      pf_user: 'Chika',
      note: 'Chairs for home offices sell as those for companies did',
      slice: { 'Sub-Category': 'Chairs', Segment: 'Corporate', ...year(firstYear + 1) },
      set: { Segment: 'Home Office' },
      scale_factor: 0.3,
    },
    {
      operation: 'recode',
      pf_user: 'Ben',
      note: 'Kansas is looked after from the south',
      slice: { State: 'Kansas' },
      set: { Region: 'South' },
    },
  ];
  await call(url, 'POST', `/api/versions/${versionId}/reference`, {
    date_offset: `${firstYear + 1 - FIRST_ORDER_YEAR} years`,
    filters: [[{ cname: 'Order Date', op: 'between', value: ['2014-01-01', '2016-12-31'] }]],
    pf_user: 'Ann',
    note: 'The year before, to compare with',
  });
  for (const { operation, ...body } of changes) {
    await call(url, 'POST', `/api/versions/${versionId}/${operation}`, body);
  }

  await call(url, 'POST', `/api/versions/${versionId}/actuals`, {
    ...{ from: `${firstYear + 1}-01-01`, through: `${firstYear + 1}-03-31` },
    date_offset: `${firstYear - 1 - FIRST_ORDER_YEAR} years`,
    pf_user: 'Ann',
    note: 'The first quarter is over',
  });

  await call(url, 'POST', `/api/sources/${sourceId}/formulas`, {
    ...{ name: MARGIN, expression: 'Profit / Sales', format: { style: 'percent' } },
    pf_user: 'Ann',
  });
  await call(url, 'POST', `/api/sources/${sourceId}/views`, {
    ...{ name: 'Margin', layout: marginOf(firstYear + 1), pf_user: 'Ann' },
  });
  await joinProducts(url, sourceId);
  await call(url, 'POST', `/api/sources/${sourceId}/views`, {
    ...{ name: 'Families', layout: familiesOf(firstYear + 1), pf_user: 'Ann' },
  });
  await call(url, 'PATCH', `/api/sources/${sourceId}`, { default_layout: layoutOf(firstYear + 1) });

  const cautious = await call<Version>(url, 'POST', `/api/sources/${sourceId}/versions`, {
    name: `Cautious ${firstYear}`,
    description: 'The same orders, if every market shrinks',
    pf_user: 'Chika',
  });
  await call(url, 'POST', `/api/versions/${cautious.id}/baseline`, {
    date_offset: `${firstYear - FIRST_ORDER_YEAR} years`,
    pf_user: 'Chika',
  });
  await call(url, 'POST', `/api/versions/${cautious.id}/scale`, {
    slice: {},
    pct: -5,
    pf_user: 'Chika',
    note: 'Every market shrinks by a twentieth',
  });
}
