import { expect } from 'vitest';
import { toNumber } from './exact';
import { plan, stored, type SourceRow, type TableColumn } from './planned';
import type { Service } from './service';

const BODY = { pf_user: 'ann', slice: {} };

const columns = (value: string | null, units: string | null = 'integer'): TableColumn[] => [
  { name: 'Region', type: 'text', role: 'dimension' },
  { name: 'Product', type: 'text', role: 'dimension' },
  { name: 'Order Date', type: 'date', role: 'date' },
  ...(value ? [{ name: 'Sales', type: value, role: 'value' as const }] : []),
  ...(units ? [{ name: 'Units', type: units, role: 'units' as const }] : []),
];

/**
 * A version with rows of region, value and units, and helpers for it: `does` returns the rows that an
 * operation wrote; `refused` checks that nothing changed and returns the error.
 */
export async function version(
  service: Service,
  value: string | null,
  rows: [string | null, (number | string | null)?, (number | null)?][],
  units: string | null = 'integer',
) {
  const planned = await plan(
    service,
    columns(value, units),
    rows.map(([Region, Sales = null, Units = null]): SourceRow => ({ Region, Sales, Units })),
  );
  const loaded = await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
  expect(loaded.body.error).toBeUndefined();
  const call = (operation: string, body: object) =>
    service.api.post(`${planned.path}/${operation}`, { ...BODY, ...body });
  /** The rows of the latest entry: region, value, units. */
  const latest = async () => {
    const [entry] = (await service.api.get(`${planned.path}/log`)).body.entries;
    const written = await stored(service, planned, entry.id);
    return written.map((r) => [
      r.keys.Region,
      r.value && toNumber(r.value.at),
      r.units && toNumber(r.units.at),
    ]);
  };
  const refused = async (operation: string, body: object, status = 422) => {
    const before = await stored(service, planned);
    const entries = (await service.api.get(`${planned.path}/log`)).body.entries;
    const answer = await call(operation, body);
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string']);
    expect(await stored(service, planned)).toEqual(before);
    expect((await service.api.get(`${planned.path}/log`)).body.entries).toEqual(entries);
    return answer.body.error as string;
  };
  const does = async (operation: string, body: object) => {
    const answer = await call(operation, body);
    expect(answer.body.error).toBeUndefined();
    return latest();
  };
  return { ...planned, call, latest, refused, does };
}
