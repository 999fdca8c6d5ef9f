import { expect } from 'vitest';
import { toNumber } from './exact';
import { plan, stored, type TableColumn } from './planned';
import type { Service } from './service';

/** A row of region, day, value and units. */
type Row = [string | null, string | null, (number | null)?, (number | null)?];

const columns = (value: string): TableColumn[] => [
  { name: 'Region', type: 'text', role: 'dimension' },
  { name: 'Size', type: 'numeric', role: 'dimension' },
  { name: 'Order Date', type: 'date', role: 'date' },
  { name: 'Sales', type: value, role: 'value' },
  { name: 'Units', type: 'integer', role: 'units' },
];

/** The rows of one month each, in 2027: `month(3)` is its first day. */
export const month = (number: number): string => `2027-${String(number).padStart(2, '0')}-01`;

/**
 * A version with such rows, and helpers for it: `call` sends a scale of the whole version; `does` returns the rows
 * that it wrote, without amounts of 0 at the end; `refused` checks that nothing changed and returns the answer.
 */
export async function datedVersion(service: Service, rows: Row[], value = 'numeric(12,2)') {
  const planned = await plan(
    service,
    columns(value),
    rows.map(([Region, day, Sales = null, Units = null]) => ({
      ...{ Region, Size: 1, 'Order Date': day, Sales, Units },
    })),
  );
  const loaded = await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
  expect(loaded.body.error).toBeUndefined();
  const call = (body: object) =>
    service.api.post(`${planned.path}/scale`, { slice: {}, pf_user: 'ann', ...body });
  const entries = async () => (await service.api.get(`${planned.path}/log`)).body.entries;
  /** The rows of the latest entry: region, day, value, units. */
  const latest = async () => {
    const [entry] = await entries();
    const written = await stored(service, planned, entry.id);
    return written.map((r) => [
      r.keys.Region,
      r.keys['Order Date'],
      r.value && toNumber(r.value.at),
      r.units && toNumber(r.units.at),
    ]);
  };
  const does = async (body: object) => {
    const answer = await call(body);
    expect(answer.body.error).toBeUndefined();
    return latest();
  };
  const refused = async (body: object, status = 422) => {
    const before = [await stored(service, planned), await entries()];
    const answer = await call(body);
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string']);
    expect([await stored(service, planned), await entries()]).toEqual(before);
    return answer.body as { error: string; field?: string; column?: string };
  };
  /** The totals of value by day, of all rows that operations see. */
  const byDay = async () =>
    Object.fromEntries(
      (
        await service.query(
          `SELECT COALESCE("Order Date"::text, '') AS day, SUM("Sales") AS sum FROM ${planned.table}
           WHERE pf_iter <> 'reference' GROUP BY 1 ORDER BY 1`,
        )
      ).map(({ day, sum }) => [day, Number(sum)]),
    );
  return { ...planned, call, entries, latest, does, refused, byDay };
}
