import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { bytes, plan, type SourceRow, type TableColumn } from './planned';
import type { Service } from './service';

export type Row = Record<string, unknown>;

/** The workbook that an import names. */
export const FILE = {
  name: 'plan.xlsx',
  sha256: createHash('sha256').update('plan').digest('hex'),
};

export const COLUMNS: TableColumn[] = [
  { name: 'Region', type: 'text', role: 'dimension' },
  { name: 'Product', type: 'text', role: 'dimension' },
  { name: 'Order Date', type: 'date', role: 'date' },
  { name: 'Sales', type: 'numeric(14,2)', role: 'value' },
  { name: 'Units', type: 'integer', role: 'units' },
];

export const row = (
  Region: string | null,
  Product: string,
  month: number,
  Sales: number,
  Units: number,
) => ({
  ...{ Region, Product, Sales, Units },
  'Order Date': `2027-0${month}-15`,
});

/** Three regions with two products in three months; each amount is different. */
export const ROWS: SourceRow[] = [null, 'East', 'West'].flatMap((region, r) =>
  ['Chair', 'Desk'].flatMap((product, p) =>
    [1, 2, 3].map((month) =>
      row(region, product, month, 100 * (r + 1) + 10 * p + month, r + p + month),
    ),
  ),
);

export const JANUARY = { from: '2027-01-01', to: '2027-01-31' };

/** A version of some rows, and helpers for its imports. */
export async function planned(
  service: Service,
  rows: readonly SourceRow[] = ROWS,
  columns = COLUMNS,
) {
  const made = await plan(service, columns, rows);
  const { api } = service;
  expect((await api.post(`${made.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  const body = (edits: unknown) => ({ file: FILE, edits, pf_user: 'bob' });
  const imports = (edits: unknown, more: object = {}) =>
    api.post(`${made.path}/import`, { ...body(edits), ...more });
  const preview = async (edits: unknown, since?: number) =>
    (await api.post(`${made.path}/import/preview`, { edits, since })).body;
  /** Checks that an import is refused and changes nothing. */
  const refused = async (edits: unknown, status: number, more: object = {}) => {
    const before = await bytes(service, made);
    const answer = await imports(edits, more);
    expect(answer.status).toBe(status);
    expect(await bytes(service, made)).toEqual(before);
    return answer.body;
  };
  const entries = async () => (await api.get(`${made.path}/log`)).body.entries;
  const sums = async (where: string) =>
    (
      await service.query(
        `SELECT sum("Sales")::text AS sales, sum("Units")::int AS units FROM ${made.table} WHERE ${where}`,
      )
    )[0];
  return { ...made, imports, preview, refused, entries, sums };
}
