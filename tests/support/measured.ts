import { expect } from 'vitest';
import { plan, type TableColumn } from './planned';
import type { Service } from './service';

/** Further measures of a table, in the order of their columns: one before the value column, one of each kind of type. */
export const FURTHER = { cost: 'numeric(12,3)', hours: 'double precision', share: 'numeric' };
type Further = keyof typeof FURTHER;
export const NAMES = Object.keys(FURTHER) as Further[];

/** A slice of the table, and its condition in SQL. */
export const NORTH = { Region: 'North' };
export const IN_NORTH = `"Region" = 'North'`;

/** The totals of some rows as the API answers them. */
export interface AnsweredTotals {
  row_count: number;
  value_total: number;
  units_total: number;
  measures: Record<string, number>;
}

const COLUMNS: TableColumn[] = [
  { name: 'cost', type: FURTHER.cost, role: 'measure' },
  { name: 'Region', type: 'text', role: 'dimension', grain: true },
  { name: 'Product', type: 'text', role: 'dimension' },
  { name: 'Order Date', type: 'date', role: 'date' },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
  { name: 'Units', type: 'integer', role: 'units' },
  { name: 'hours', type: FURTHER.hours, role: 'measure' },
  { name: 'share', type: FURTHER.share, role: 'measure' },
];

/** Two regions and two products in each month of 2025 and 2026; the numbers leave remainders when they are spread. */
const rows = Array.from({ length: 96 }, (_, i) => {
  const month = (Math.floor(i / 4) % 24) + 1;
  const year = month > 12 ? 2026 : 2025;
  const day = `${year}-${String(((month - 1) % 12) + 1).padStart(2, '0')}-${String(3 + (i % 4) * 7).padStart(2, '0')}`;
  return {
    Region: i % 2 === 0 ? 'North' : 'West',
    Product: i % 4 < 2 ? 'Desk' : 'Lamp',
    'Order Date': day,
    Sales: 100 + ((i * 37) % 91) / 7,
    Units: 1 + (i % 5),
    cost: 60 + ((i * 53) % 89) / 9,
    hours: ((i * 11) % 13) / 3,
    share: i % 3 === 0 ? null : Number((i / 8).toFixed(i % 4)),
  };
});

/** What differs from the usual columns or rows of {@link measured}. */
interface Different {
  columns?: TableColumn[];
  grain?: boolean;
  /** Whether nothing is loaded. */
  isEmpty?: boolean;
}

/** A version of a table with three further measures, with its rows loaded, and helpers for it. */
export async function measured(service: Service, different: Different = {}) {
  const columns = (different.columns ?? COLUMNS).map((c) => ({
    ...c,
    grain: different.grain === true && c.grain === true,
  }));
  const planned = await plan(service, columns, rows);
  const call = (path: string, body: object = {}) =>
    service.api.post(`${planned.path}/${path}`, { pf_user: 'ann', ...body });
  const done = async (path: string, body: object = {}) => {
    const { status, body: answer } = await call(path, body);
    expect([status < 300, answer.error]).toEqual([true, undefined]);
    return answer;
  };
  if (!different.isEmpty) await done('baseline');
  /** Refuses a request, and checks that it has changed nothing. */
  const refused = async (path: string, body: object, status: number) => {
    const before = await sums();
    const { status: answered, body: answer } = await call(path, body);
    expect([answered, typeof answer.error]).toEqual([status, 'string']);
    expect(await sums()).toEqual(before);
    return answer as { error: string; field?: string; column?: string };
  };
  /** Totals of rows by SQL, in the form of the API. */
  const sums = async (where = 'TRUE'): Promise<AnsweredTotals> => {
    const [row] = await service.query<{ totals: AnsweredTotals }>(
      `SELECT json_build_object('row_count', count(*), 'value_total', coalesce(sum("Sales"), 0),
         'units_total', coalesce(sum("Units"), 0), 'measures', json_build_object(
           'cost', coalesce(sum(cost), 0), 'hours', coalesce(sum(hours), 0),
           'share', coalesce(sum(share), 0))) AS totals
       FROM ${planned.table} WHERE ${where}`,
    );
    return row!.totals;
  };
  /** One number by SQL, as text. */
  const one = async (expression: string, where = 'TRUE'): Promise<string | null> => {
    const [row] = await service.query<{ text: string | null }>(
      `SELECT (${expression})::text AS text FROM ${planned.table} WHERE ${where}`,
    );
    return row!.text;
  };
  return { ...planned, call, done, refused, sums, one };
}

/** Expects totals, those of doubles except for the order of their addition. */
export function expectTotals(actual: AnsweredTotals, wanted: AnsweredTotals): void {
  const { hours, ...exact } = wanted.measures;
  expect(actual).toMatchObject({ ...wanted, measures: exact });
  expect(Object.keys(actual.measures)).toEqual(expect.arrayContaining(NAMES));
  expect(actual.measures.hours).toBeCloseTo(hours!, 8);
}
