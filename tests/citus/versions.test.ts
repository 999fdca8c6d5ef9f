// Distributed and local versions side by side, and incomplete clusters.
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, onTestFinished } from 'vitest';
import { freePort } from '../../src/demo/postgres';
import { it } from '../support/api';
import { run } from '../support/cli';
import { LOCAL_VERSIONS, serverEnvironment } from '../support/cluster';
import type { Api } from '../support/http';
import { bytes, plan, type Planned } from '../support/planned';
import { until } from '../support/race';
import type { Service } from '../support/service';
import { alterWorkers, another, expectDistributed } from './cluster';

const BODY = { pf_user: 'ann' };

/** A version with columns whose text depends on the settings of the session that prints it. */
async function version(service: Service): Promise<Planned> {
  const columns = [
    { name: 'Region', type: 'text', role: 'dimension', grain: true },
    { name: 'Seen', type: 'timestamptz', role: 'dimension', grain: true },
    { name: 'Lasts', type: 'interval', role: 'dimension', grain: true },
    { name: 'Share', type: 'double precision', role: 'dimension', grain: true },
    { name: 'Day', type: 'date', role: 'date', grain: true },
    { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
  ] as const;
  const rows = Array.from({ length: 40 }, (_, i) => ({
    Region: i % 4 === 0 ? null : `back\\slash ${i % 4}`,
    Seen: `2026-07-0${1 + (i % 9)} 12:00:00+00`,
    Lasts: '1 day 02:03:04',
    Share: 0.1 + 0.2,
    Day: '2026-03-04',
    Sales: i,
  }));
  const v = await plan(service, columns, rows);
  expect((await service.api.post(`${v.path}/baseline`, BODY)).status).toBe(200);
  return v;
}

const rowsIn = (body: Uint8Array): Record<string, unknown>[] =>
  tableFromIPC(body)
    .toArray()
    .map((row) => row.toJSON() as Record<string, unknown>);

const keysOf = async (api: Api, v: Planned, logid: number): Promise<unknown[]> =>
  rowsIn((await api.get(`${v.path}/agg`)).bytes)
    .filter((row) => Number(row.pf_logid) === logid)
    .map((row) => row.pf_gkey)
    .sort();

/** A version made from another one, with its table. */
async function madeFrom(api: Api, v: Planned, how: 'copy' | 'replay', name: string) {
  const { status, body } = await api.post(`${v.path}/${how}`, { ...BODY, name });
  expect([status, body.error]).toEqual([201, undefined]);
  const { id } = how === 'copy' ? body : body.version;
  const table = v.table.replace(/_\d+"$/, `_${id}"`);
  return { ...v, id, table, path: `/versions/${id}` };
}

/** Writes to a version, undoes it, and expects the version to be unchanged. */
async function expectUsable(service: Service, v: Planned, api = service.api): Promise<void> {
  const before = await bytes(service, v);
  const scaled = await api.post(`${v.path}/scale`, { ...BODY, slice: {}, pct: 10 });
  expect(scaled.status).toBe(200);
  const logid = scaled.body[0].pf_logid;
  const keys = await keysOf(api, v, logid);
  expect(keys.length).toBeGreaterThan(0);
  const undone = await api.del(`/log/${logid}`);
  expect(undone.status).toBe(200);
  expect(undone.body.pf_gkeys.toSorted()).toEqual(keys);
  expect(await bytes(service, v)).toEqual(before);
}

describe('PF_DISTRIBUTE', () => {
  it('applies to versions that are made later, in whatever way they are made', async ({
    service,
  }) => {
    const v = await version(service);
    await expectDistributed(service, v, true);
    const { server, api: local } = await another(service, LOCAL_VERSIONS);
    onTestFinished(() => server.stop());
    for (const how of ['copy', 'replay'] as const) {
      const here = await madeFrom(local, v, how, `local ${how}`);
      await expectDistributed(service, here, false);
      const there = await madeFrom(service.api, here, how, `distributed ${how}`);
      await expectDistributed(service, there, true);
      for (const made of [here, there]) {
        for (const api of [local, service.api]) await expectUsable(service, made, api);
      }
    }
    await expectDistributed(service, v, true);
    await expectUsable(service, v, local);
    const preview = await local.post(`${v.path}/scale/preview`, { slice: {}, pct: 10, ...BODY });
    expect(preview.status).toBe(200);
  });

  it('works with templates that an older version of the service has stored', async ({
    service,
  }) => {
    const v = await version(service);
    const key = ['Region', 'Seen', 'Lasts', 'Share', 'Day']
      .map((name) => `COALESCE("${name}"::text, chr(30))`)
      .join(', ');
    await service.query(
      `UPDATE pf.sql SET sql = 'SELECT "Region", "Seen"::text AS "Seen", "Lasts"::text AS "Lasts", "Share",
         "Day", pf_iter, pf_logid, concat_ws(chr(31), ${key}, pf_iter, pf_logid::text) AS pf_gkey,
         SUM("Sales") AS "Sales"
       FROM {{fc_table}}
       GROUP BY "Region", "Seen", "Lasts", "Lasts"::text, "Share", "Day", pf_iter, pf_logid'
       WHERE source_id = ${v.sourceId} AND operation = 'get_agg'`,
    );
    await expectUsable(service, v);
  });
});

describe('A worker', () => {
  it.for([
    ['TimeZone', 'Asia/Kolkata', 'UTC'],
    ['DateStyle', 'German, DMY', 'ISO'],
    ['IntervalStyle', 'sql_standard', 'postgres'],
    ['extra_float_digits', '0', '1'],
    ['standard_conforming_strings', 'off', 'on'],
  ] as const)(
    'with another %s is named at the start, with the statement that corrects it',
    async ([setting, wrong, right], { service }) => {
      const { database } = service;
      const alter = (value: string) => alterWorkers(service, { [setting]: value });
      onTestFinished(() => alter(right));
      await alter(wrong);
      const env = { ...serverEnvironment(), PORT: String(await freePort()) };
      const { code, stderr } = await run(process.execPath, ['build'], { database, env });
      expect(code).toBe(1);
      const says = new RegExp(
        `On the worker \\S+:\\d+, ${setting} is "${wrong}"\\. Run (ALTER ROLE .+?) on the coordinator`,
      );
      const [, line = ''] = says.exec(stderr) ?? [];
      expect(line).toBe(`ALTER ROLE ${database.user} SET ${setting} = '${right}'`);

      await alter(right);
      const { server, api } = await another(service);
      expect((await api.get('/health')).status).toBe(200);
      await server.stop();
    },
  );

  it('whose settings change later does not affect keys, and fails /health', async ({ service }) => {
    const v = await version(service);
    const alter = (TimeZone: string, IntervalStyle: string) =>
      alterWorkers(service, { TimeZone, IntervalStyle });
    onTestFinished(() => alter('UTC', 'postgres'));
    const { server, api } = await another(service, { PF_KEEP_ENTRIES: '0' });
    onTestFinished(() => server.stop());
    const [{ id }] = (await api.get(`${v.path}/log`)).body.entries;
    const before = await keysOf(api, v, id);
    await alter('Asia/Kolkata', 'sql_standard');
    const health = await until(async () => {
      // Sessions on workers last as long as the service's connections, which close when they are idle.
      await new Promise((resolve) => setTimeout(resolve, 12_000));
      const answer = await api.get('/health');
      return answer.status === 503 && answer;
    });
    expect(health.body.error).toMatch(/On the worker \S+, \w+ is "(sql_standard|Asia\/Kolkata)"/);
    expect(await keysOf(api, v, id)).toEqual(before);
    const undone = await api.del(`/log/${id}`);
    expect(undone.body.pf_gkeys.toSorted()).toEqual(before);
  });

  it('that is away is named in errors and by /health; nothing is changed, and local versions work', async ({
    service,
  }) => {
    const v = await version(service);
    const before = await bytes(service, v);
    const { server, api: local } = await another(service, LOCAL_VERSIONS);
    onTestFinished(() => server.stop());
    const here = await madeFrom(local, v, 'copy', 'here');
    const logid = (await service.api.get(`${v.path}/log`)).body.entries[0].id;

    const [worker] = await service.query(
      `SELECT nodeid, nodename AS host, nodeport AS port FROM pg_dist_node
       WHERE groupid > 0 ORDER BY groupid DESC LIMIT 1`,
    );
    const move = (port: number) =>
      service.query(`UPDATE pg_dist_node SET nodeport = ${port} WHERE nodeid = ${worker.nodeid}`);
    onTestFinished(() => move(worker.port).then(() => {}));
    // Nothing listens at this port.
    const nowhere = await freePort();
    await move(nowhere);

    const slice = { slice: {}, ...BODY };
    const answers = [
      await service.api.get(`${v.path}/data`),
      await service.api.send(`${v.path}/data`, { headers: { accept: 'text/csv' } }),
      await service.api.post(`${v.path}/slice`, { slice: {} }),
      await service.api.post(`${v.path}/scale`, { ...slice, pct: 10 }),
      await service.api.post(`${v.path}/scale/preview`, { ...slice, pct: 10 }),
      await service.api.post(`${v.path}/reference`, BODY),
      await service.api.del(`/log/${logid}`),
      await service.api.post(`/sources/${v.sourceId}/versions`, { name: 'More' }),
    ];
    const named = `The worker ${worker.host}:${nowhere} of the database's cluster does not answer`;
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
      Array(answers.length).fill([503, `${named}; nothing was changed, try again when it is back`]),
    );
    expect(Number(answers[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const health = await service.api.get('/health');
    expect([health.status, health.body.error]).toEqual([503, named]);
    expect((await service.api.get('/health/live')).status).toBe(200);
    await expectUsable(service, here);

    await move(worker.port);
    expect((await service.api.get('/health')).status).toBe(200);
    expect(await bytes(service, v)).toEqual(before);
    await expectUsable(service, v);
  });
});
