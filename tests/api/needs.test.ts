import { expect } from 'vitest';
import { startServer } from '../../src/demo/server';
import { it as shared } from '../support/api';
import { plan } from '../support/planned';

const it = shared.extend('env', { scope: 'file' }, {});

it('a source that needs what a build does not know is not there for it', async ({ service }) => {
  const { api, query } = service;
  const { id, sourceId, path } = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [{ Region: 'A', Sales: 100 }],
  );
  expect((await api.post(`${path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  const source = `/sources/${sourceId}`;
  const reads = ['', '/columns', '/versions', '/views', '/profiles', '/formulas', '/territories'];
  const ofVersion = ['', '/data', '/log', '/totals', '/locks', '/comments', '/reviews', '/undone'];
  const paths = [...reads.map((of) => source + of), ...ofVersion.map((of) => path + of)];
  const statuses = () => Promise.all(paths.map(async (of) => (await api.get(of)).status));
  expect(await statuses()).toEqual(paths.map(() => 200));

  await query(`UPDATE pf.source SET needs = '{territories,moons}' WHERE id = ${sourceId}`);
  expect((await api.get('/sources')).body).toEqual([]);
  const found = await statuses();
  expect(paths.filter((_, i) => found[i] !== 404)).toEqual([]);
  const [{ logid }] = await query(`SELECT id AS logid FROM pf.log WHERE version_id = ${id}`);
  expect((await api.post(`${path}/scale`, { slice: {}, pct: 10, pf_user: 'ann' })).status).toBe(
    404,
  );
  expect((await api.del(`/log/${logid}`)).status).toBe(404);
  expect((await api.post(`${source}/versions`, { name: 'Other', pf_user: 'ann' })).status).toBe(
    404,
  );

  const other = await startServer({ database: service.database });
  await other.stop();
  expect(other.output()).toMatch(/source \d+ \(Plan .*\) is not served: .* that knows moons"/);

  await query(`UPDATE pf.source SET needs = '{territories}' WHERE id = ${sourceId}`);
  expect(await statuses()).toEqual(paths.map(() => 200));
  expect((await api.del(path)).status).toBe(204);
  expect((await api.del(source)).status).toBe(204);
});

it('a source needs builds that know territories while it has some', async ({ service }) => {
  const { api, query } = service;
  const { sourceId, path } = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [],
  );
  const needs = async () =>
    (await query(`SELECT needs FROM pf.source WHERE id = ${sourceId}`))[0].needs;
  const insert = (member: string) =>
    query(
      `INSERT INTO pf.territory (source_id, member, read) VALUES (${sourceId}, '${member}', '{}')`,
    );
  expect(await needs()).toEqual([]);
  await insert('ann');
  await insert('bob');
  expect(await needs()).toEqual(['territories']);
  await query(`DELETE FROM pf.territory WHERE member = 'ann'`);
  expect(await needs()).toEqual(['territories']);
  await query('DELETE FROM pf.territory');
  expect(await needs()).toEqual([]);
  expect((await api.del(path)).status).toBe(204);
  expect((await api.del(`/sources/${sourceId}`)).status).toBe(204);
});
