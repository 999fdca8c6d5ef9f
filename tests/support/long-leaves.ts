import { expect } from 'vitest';
import { plan, type Planned } from './planned';
import type { Service } from './service';

/** Loads a version with this number of leaves of 500 bytes each. The value of every leaf is 100. */
export async function longLeaves(service: Service, leaves: number): Promise<Planned> {
  const planned = await plan(
    service,
    [
      { name: 'Leaf', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [],
  );
  const [{ tname }] = await service.query('SELECT tname FROM pf.source WHERE id = $1', [
    planned.sourceId,
  ]);
  await service.query(
    `INSERT INTO public."${tname.replaceAll('"', '""')}"
     SELECT repeat('leaf ', 100) || i, 100 FROM generate_series(1, ${leaves}) AS i`,
  );
  const loaded = await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
  expect(loaded.body).toMatchObject({ row_count: leaves });
  return planned;
}
