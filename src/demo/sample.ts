import type { ColumnSave } from '../lib/contract/columns';
import type { LoadAnswer } from '../lib/contract/loads';
import type { Source } from '../lib/contract/sources';
import type { Version } from '../lib/contract/versions';

interface SampleOptions {
  /** Where the service listens, without a slash at the end. */
  url: string;
  /** The calendar year that the first year of the orders, 2014, is moved to. */
  firstYear: number;
  /** True to load the pivot at a grain of months; false to load raw rows. */
  grain: boolean;
  /** True to plan the profit of the orders as a further measure. */
  profit?: boolean;
}

export interface Sample {
  sourceId: number;
  versionId: number;
}

const PF_USER = 'demo';
/** The calendar year of the sample's first orders. */
export const FIRST_ORDER_YEAR = 2014;

const COLUMNS: ColumnSave[] = [
  { cname: 'Order Date', role: 'date', dim_group: 'Order Date' },
  { cname: 'Order Year', role: 'dimension', dim_group: 'Order Date', dim_period_col: 'cal_year' },
  {
    cname: 'Order Month',
    role: 'dimension',
    dim_group: 'Order Date',
    dim_period_col: 'period_key',
  },
  { cname: 'Category', role: 'dimension' },
  { cname: 'Sub-Category', role: 'dimension' },
  { cname: 'Region', role: 'dimension' },
  { cname: 'State', role: 'dimension' },
  { cname: 'Segment', role: 'dimension' },
  { cname: 'Ship Mode', role: 'dimension' },
  { cname: 'Sales', role: 'value' },
  { cname: 'Quantity', role: 'units' },
  { cname: 'Order ID', role: 'filter' },
  { cname: 'Ship Date', role: 'filter' },
  { cname: 'Customer Name', role: 'filter' },
  { cname: 'City', role: 'filter' },
  { cname: 'Product Name', role: 'filter' },
  { cname: 'Discount', role: 'filter' },
  { cname: 'Profit', role: 'filter' },
  { cname: 'Row ID', role: 'ignore' },
  { cname: 'Customer ID', role: 'ignore' },
  { cname: 'Country', role: 'ignore' },
  { cname: 'Postal Code', role: 'ignore' },
  { cname: 'Product ID', role: 'ignore' },
];

const GRAIN = ['Order Year', 'Order Month', 'Category', 'Sub-Category', 'Region', 'Segment'];

/**
 * Makes the sample through the API, as an administrator and a planner would: registers public.superstore,
 * sets the roles of its columns, generates the SQL, creates a version, and loads all orders into it, moved to
 * the planned years.
 * @throws with the service's error if it refuses a step
 */
export async function makeSample({
  url,
  firstYear,
  grain,
  profit = false,
}: SampleOptions): Promise<Sample> {
  const source = await call<Source>(url, 'POST', '/api/sources', {
    schema: 'public',
    tname: 'superstore',
    label: 'Superstore',
    pf_user: PF_USER,
  });
  await call(
    url,
    'PUT',
    `/api/sources/${source.id}/columns`,
    COLUMNS.map((column, index) => ({
      ...column,
      ...(profit && column.cname === 'Profit' && { role: 'measure' }),
      opos: index + 1,
      in_grain: grain && GRAIN.includes(column.cname),
    })),
  );
  await call(url, 'POST', `/api/sources/${source.id}/sql`);
  const version = await call<Version>(url, 'POST', `/api/sources/${source.id}/versions`, {
    name: `Plan ${firstYear}`,
    description: `Orders of 2014 to 2017, moved to ${firstYear} to ${firstYear + 3}`,
    pf_user: PF_USER,
  });
  await call<LoadAnswer>(url, 'POST', `/api/versions/${version.id}/baseline`, {
    date_offset: `${firstYear - FIRST_ORDER_YEAR} years`,
    pf_user: PF_USER,
    note: 'All orders, as the starting point',
  });
  return { sourceId: source.id, versionId: version.id };
}

/** Sends a request to the service. @throws with the service's error if it refuses */
export async function call<T>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
