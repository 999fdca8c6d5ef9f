import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytes, plan, type Planned } from '../support/planned';
import { startService, type Service } from '../support/service';

/** Characters that JSON writes as six each, in the longest allowed note. */
const NOTE = '\u0001'.repeat(10_000);
/** Length of the longest text that the engine can hold; a longer answer must be sent in pieces. */
const LONGEST_TEXT = 2 ** 29 - 24;
const LEAVES = 4_500;

let service: Service;

// A heap that the texts of one answer alone would fill.
beforeAll(async () => {
  service = await startService('service', { NODE_OPTIONS: '--max-old-space-size=96' });
});
afterAll(() => service?.stop());

async function loadedVersion(leaves: number): Promise<Planned> {
  const version = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Product', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    Array.from({ length: leaves }, (_, i) => ({ Region: 'A', Product: `P ${i}`, Sales: 1 + i })),
  );
  const loaded = await service.api.post(`${version.path}/baseline`, { pf_user: 'ann' });
  expect(loaded.body).toMatchObject({ row_count: leaves });
  return version;
}

const recode = (version: Planned) =>
  fetch(`${service.url}/api${version.path}/recode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ slice: {}, set: { Region: 'B' }, note: NOTE, pf_user: 'ann' }),
  });

async function expectMoved(version: Planned): Promise<void> {
  const { entries } = (await service.api.get(`${version.path}/log`)).body;
  expect(entries).toHaveLength(2);
  expect(entries[0]).toMatchObject({ operation: 'recode', row_count: 2 * LEAVES, note: NOTE });
}

it('returns the written rows, however long their text, within the memory of their columns', async () => {
  const version = await loadedVersion(LEAVES);
  const response = await recode(version);
  expect(response.status).toBe(200);
  let size = 0;
  let rows = 0;
  let last = 0;
  for await (const piece of response.body!) {
    if (size === 0)
      expect(new TextDecoder().decode(piece.subarray(0, 20))).toMatch(/^\[\{"Region":"/);
    size += piece.length;
    for (let at = piece.indexOf(125); at >= 0; at = piece.indexOf(125, at + 1)) rows += 1;
    last = piece.at(-1)!;
  }
  expect([rows, String.fromCharCode(last)]).toEqual([2 * LEAVES, ']']);
  expect(size).toBeGreaterThan(LONGEST_TEXT);
  await expectMoved(version);
});

it('blocks neither the version nor the process while nobody reads its answer', async () => {
  const version = await loadedVersion(LEAVES);
  const unread = await recode(version);
  expect(unread.status).toBe(200);
  const scaled = await service.api.post(`${version.path}/scale`, {
    slice: { Product: 'P 7' },
    pct: 10,
    pf_user: 'bob',
  });
  expect([scaled.status, scaled.body.length]).toEqual([200, 1]);
  // When a client disconnects, the rest of its answer is dropped.
  await unread.body!.cancel();
  const [{ pf_logid }] = scaled.body;
  expect((await service.api.del(`/log/${pf_logid}`)).body).toMatchObject({ rows_deleted: 1 });
  await expectMoved(version);
});

it('can be undone, with every row listed', async () => {
  const version = await loadedVersion(LEAVES);
  const before = await bytes(service, version);
  const moved = await recode(version);
  await moved.body!.cancel();
  const written = await service.query<{ pf_id: number }>(
    `SELECT pf_id FROM ${version.table} WHERE pf_iter = 'recode' ORDER BY pf_id`,
  );
  const [{ id }] = (await service.api.get(`${version.path}/log`)).body.entries;
  const { body } = await service.api.del(`/log/${id}`);
  expect(body.rows_deleted).toBe(2 * LEAVES);
  expect(body.pf_ids.sort((a: number, b: number) => a - b)).toEqual(written.map((r) => r.pf_id));
  expect(await bytes(service, version)).toEqual(before);
});
