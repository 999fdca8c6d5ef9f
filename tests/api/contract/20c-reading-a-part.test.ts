// Tests docs/contract/20-who-is-signed-in.md#territories: the answers for a person who reads a part of a source.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/lib/contract/endpoints';
import { openEvents } from '../../support/events';
import { apiAt, type Api } from '../../support/http';
import { plan, type Planned, type TableColumn } from '../../support/planned';
import { until } from '../../support/race';
import { startService, type Service } from '../../support/service';
import { REGIONAL, signedIn, SIGNED_IN } from '../../support/territories';
import { ok } from './orders';

const ROWS = [
  { Day: '2027-01-31', Region: 'A', Product: 'x', Sales: 100 },
  { Day: '2027-02-28', Region: 'A', Product: 'y', Sales: 20 },
  { Day: '2027-01-31', Region: 'B', Product: 'x', Sales: 5 },
  { Day: '2027-02-28', Region: 'B', Product: 'x', Sales: 3 },
  { Day: '2027-03-31', Region: 'C', Product: 'z', Sales: 77001 },
  { Day: '2027-03-31', Region: 'C', Product: 'x', Sales: 77002 },
];
/** The rows that `part` reads. */
const INSIDE = `("Region" = 'A' OR ("Region" = 'B' AND "Day" >= '2027-02-01'))`;

let service: Service;
let admin: Api;
let part: Api;
let made: Planned;
let path: string;

beforeAll(async () => {
  service = await startService('service', SIGNED_IN);
  admin = apiAt(service.url, signedIn('eve', 'admins'));
  part = apiAt(service.url, signedIn('part'));
});
afterAll(() => service?.stop());

beforeEach(async () => {
  made = await plan({ ...service, api: admin }, REGIONAL, ROWS);
  path = made.path;
  const give = (read: object) =>
    admin.post(`/sources/${made.sourceId}/territories`, { member: 'part', read, write: null });
  ok(await give({ Region: 'A' }));
  ok(await give({ Region: 'B', Day: { from: '2027-02-01' } }));
  ok(await admin.post(`${path}/baseline`));
});

const scale = async (slice: object, more: object = {}): Promise<number> => {
  ok(await admin.post(`${path}/scale`, { slice, pct: 10, ...more }));
  const [{ id }] = await service.query(
    `SELECT max(id) AS id FROM pf.log WHERE version_id = ${made.id}`,
  );
  return Number(id);
};
const logOf = async (api: Api) => ok(await api.get(`${path}/log`));
const undo = async (logid: number) => ok(await admin.del(`/log/${logid}`));

/** A source of rows with times. */
async function sourceOf(columns: TableColumn[]): Promise<{ sourceId: number; tname: string }> {
  const days = ['2027-01-31 10:00', '2027-02-28 23:59', '2027-03-01', '2027-03-31', '2027-04-01'];
  const { sourceId } = await plan(
    { ...service, api: admin },
    columns,
    days.flatMap((Day) =>
      ['A', 'B'].map((value) => ({
        ...{ Day, Month: 'unused', value, Sales: 1 },
        Remark: Day < '2027-03' || Day > '2027-04' ? `seen ${value}` : 'hidden',
      })),
    ),
  );
  const [{ name }] = await service.query(
    `SELECT format('%I.%I', schema, tname) AS name FROM pf.source WHERE id = ${sourceId}`,
  );
  return { sourceId, tname: name as string };
}

describe('Every endpoint that is not refused', () => {
  it('answers the same before and after changes outside', async () => {
    const logid = await scale({ Region: 'A' });
    const slice = { Region: ['A', 'C'] };
    ok(await admin.post(`${path}/comments`, { slice: { Region: 'A' }, text: 'inside' }));
    ok(await admin.post(`${path}/reviews`, { slice: { Region: 'A' }, reviewers: ['rita'] }));
    const condition = { operator: 'above', amount: 0 };
    const all = { measure: 'value', of: 'amount', slice: {}, owner: 'part', condition };
    const by = async (field: string, more: object = {}) =>
      ok(await admin.post(`${path}/alerts`, { ...all, name: field, level: [{ field }], ...more }))
        .body.id as number;
    const alert = await by('Region');
    await by('Product', { slice: { Region: 'A' } });
    await by('Region', { condition: { ...condition, amount: 1e6 } });
    // Both are evaluated before the answers are compared.
    await until(async () => ok(await part.get('/alerts/own')).body.length === 2);
    const current = { name: 'budget', version_id: made.id };
    ok(await admin.put(`/sources/${made.sourceId}/current`, current));
    const lookup = ok(
      await admin.post(`/sources/${made.sourceId}/lookups`, {
        ...{ name: 'Periods', schema: 'pf', tname: 'dim_period' },
        range: { column: 'Day', from: 'sdat', through: 'edat' },
        attributes: [{ cname: 'fisc_label' }],
      }),
    ).body;
    const bodies: Record<string, object> = {
      '/versions/{id}/explain': { slice },
      '/versions/{id}/rows': { slice },
      '/versions/{id}/slice': { slice, by: ['Region'] },
      '/versions/{id}/slices': { slices: [slice, {}], by: ['Region'] },
    };
    const open = ENDPOINTS.filter(
      ({ method, path, role, territories, answer }) =>
        (method === 'get' || path in bodies) &&
        role === 'reader' &&
        territories !== 'refused' &&
        answer.body !== 'text/event-stream' &&
        path !== '/openapi.json',
    );
    expect(open.length).toBeGreaterThan(20);
    const seen = async () => {
      const answers: Record<string, unknown> = {};
      for (const { method, path: pattern } of open) {
        const owners: Record<string, number> = {
          ...{ sources: made.sourceId, lookups: lookup.id, alerts: alert },
        };
        const own = owners[pattern.split('/')[1] ?? ''] ?? made.id;
        const address = pattern
          .replace('{id}', `${own}`)
          .replace('{logid}', `${logid}`)
          .replace('{name}', `budget?source=${made.sourceId}`)
          .replace(/values$/, 'values?cname=Product')
          .replace(/^(\/lookups\/\d+\/rows)$/, `$1?version=${made.id}`);
        const answer =
          method === 'get' ? await part.get(address) : await part.post(address, bodies[pattern]);
        ok(answer);
        const headers = Object.fromEntries(answer.headers);
        for (const name of ['date', 'x-request-id', 'connection', 'keep-alive'])
          delete headers[name];
        answers[pattern] = [headers, new TextDecoder().decode(answer.bytes)];
      }
      for (const more of [
        'comments?resolved=0',
        'comments?resolved=1',
        'accuracy?by=Product',
        `data?logid=${logid}&logid=${logid + 1}`,
      ]) {
        const { headers, bytes } = ok(await part.get(`${path}/${more}`));
        answers[more] = [headers.get('etag'), new TextDecoder().decode(bytes)];
      }
      const csv = await part.get(`${path}/data`, { accept: 'text/csv' });
      // The order of rows is not promised.
      answers['data as CSV'] = new TextDecoder().decode(ok(csv).bytes).split('\n').sort();
      return answers;
    };
    const before = await seen();
    const outside = { Region: 'C' };
    const source = `/sources/${made.sourceId}`;
    const note = 'outside';
    const changes: [string, () => Promise<unknown>][] = [
      ['a scale', () => scale(outside)],
      ['an undo', async () => undo(await scale(outside))],
      ['a note', async () => admin.patch(`/log/${await scale(outside)}`, { note })],
      ['a clone', () => admin.post(`${path}/clone`, { slice: outside, set: { Product: 'w' } })],
      ['a load', () => admin.post(`${path}/baseline`, { raw_where: `"Region" = 'C'` })],
      ['a lock', () => admin.post(`${path}/locks`, { slice: { Product: ['w', 'z'] }, note })],
      ['a comment', () => admin.post(`${path}/comments`, { slice: {}, text: '@part' })],
      ['a review', () => admin.post(`${path}/reviews`, { slice: outside, reviewers: ['part'] })],
      ['an alert', () => by('Product', { slice: outside })],
      [
        'an alert that begins',
        () => admin.post(`${path}/scale`, { slice: outside, value_incr: 2e6 }),
      ],
      ['a view', () => admin.post(`${source}/views`, { name: 'C', layout: {} })],
      ['a layout', () => admin.patch(source, { default_layout: { group_by: ['Region'] } })],
      [
        'a territory of somebody else',
        () => admin.post(`${source}/territories`, { member: 'c', read: outside, write: null }),
      ],
      ['a reverse', async () => admin.post(`/log/${await scale(outside)}/reverse`, {})],
      [
        'a redo',
        async () => {
          const undone = await scale(outside);
          await undo(undone);
          return admin.post(`${path}/redo/${undone}`, {});
        },
      ],
      [
        'an import',
        () =>
          admin.post(`${path}/import`, {
            file: { name: 'c.csv', sha256: 'c'.repeat(64) },
            edits: [{ slice: outside, value_total: 77003.5 }],
          }),
      ],
      [
        'a resolved comment',
        async () => {
          const body = { slice: outside, text: 'outside' };
          const { id } = ok(await admin.post(`${path}/comments`, body)).body;
          return admin.patch(`/comments/${id}`, { resolved: true });
        },
      ],
      [
        'a step of a review',
        async () => {
          const body = { slice: outside, reviewers: ['rita'] };
          const { id } = ok(await admin.post(`${path}/reviews`, body)).body;
          return admin.post(`/reviews/${id}/submit`, { comment: 'outside' });
        },
      ],
      [
        'a profile',
        () => admin.post(`${source}/profiles`, { name: 'C', weights: Array(12).fill(1) }),
      ],
      [
        'a change of rows by another program',
        () => service.query(`UPDATE ${made.table} SET "Sales" = 1 WHERE "Region" = 'C'`),
      ],
    ];
    for (const [name, change] of changes) {
      const answer = await change();
      if (typeof answer === 'object' && answer && 'status' in answer) {
        expect([name, answer.status]).toEqual([name, expect.toBeOneOf([200, 201])]);
      }
      expect([name, await seen()]).toEqual([name, before]);
    }
    expect((await logOf(admin)).body.entries.length).toBeGreaterThan(4);
  });
});

describe('The log', () => {
  it('has the entries with rows inside, their totals, and the total of the version', async () => {
    const outside = await scale({ Region: 'C' });
    await scale({ Product: 'x' });
    await scale({ Region: ['A', 'B'] });
    const { body } = await logOf(part);
    const wanted = await service.query(
      `SELECT pf_logid AS id, count(*)::int AS row_count, sum("Sales")::float8 AS value_total
       FROM ${made.table} WHERE ${INSIDE} GROUP BY 1 ORDER BY 1 DESC`,
    );
    const facts = ['id', 'row_count', 'value_total'];
    expect(
      body.entries.map((e: Record<string, unknown>) =>
        Object.fromEntries(facts.map((name) => [name, e[name]])),
      ),
    ).toEqual(wanted.map((row) => ({ ...row, id: Number(row.id) })));
    const [{ total }] = await service.query(
      `SELECT sum("Sales")::float8 AS total FROM ${made.table} WHERE ${INSIDE}`,
    );
    expect(body.value_total).toBe(total);
    expect(body.entries.map(({ id }: { id: number }) => id)).not.toContain(outside);
  });

  it('does not change with rows outside', async () => {
    const before = await logOf(part);
    expect(before.headers.get('x-revision')).toBeNull();
    const entry = await scale({ Region: 'C' });
    ok(await admin.patch(`/log/${entry}`, { note: 'a note' }));
    expect((await logOf(part)).body).toEqual(before.body);
    await undo(entry);
    expect((await logOf(part)).body).toEqual(before.body);
  });

  it('has the request of an entry only if all that it names is inside', async () => {
    const requests: [object, object, boolean][] = [
      [{ Region: 'A' }, {}, true],
      [{ Region: ['A', 'B'], Day: '2027-02-28' }, {}, true],
      [{ Region: 'B', Day: { from: '2027-02-01', to: '2027-02-28' } }, {}, true],
      [{ Region: ['A', 'B'] }, {}, false],
      [{ Region: 'B', Day: { from: '2027-01-31' } }, {}, false],
      [{ Product: 'x' }, {}, false],
      [{}, {}, false],
      [{ Region: 'A' }, { hold: [{ Region: 'C' }] }, false],
      [{ Region: 'A', Product: 'x' }, { pct: null, value_incr: 5, keep: {} }, false],
      [{ Region: 'A', Product: 'x' }, { pct: null, value_incr: 5, keep: { Region: 'A' } }, true],
    ];
    for (const [slice, more, isSeen] of requests) {
      const id = await scale(slice, more);
      const [entry] = (await logOf(part)).body.entries;
      expect([entry.id, slice, entry.slice !== null, entry.params !== null]).toEqual([
        ...[id, slice, isSeen, isSeen],
      ]);
      if (isSeen) expect(entry.slice).toEqual(slice);
    }
  });

  it('leaves out the request of a recode that moves rows out, and of a load', async () => {
    const recode = async (request: object) => {
      ok(await admin.post(`${path}/recode`, request));
      return (await logOf(part)).body.entries[0];
    };
    const slice = { Region: 'A', Product: 'y' };
    expect(await recode({ slice, set: { Product: 'x' }, factor: 0.1 })).toMatchObject({ slice });
    expect(await recode({ slice, set: { Region: 'C' }, factor: 0.1 })).toMatchObject({
      ...{ operation: 'recode', slice: null, params: null, row_count: 1 },
    });
    const days = { Region: 'B', Day: '2027-02-28' };
    const shifted = { slice: days, shift: { Day: '-1 mon' }, factor: 0.1 };
    expect(await recode(shifted)).toMatchObject({ slice: null, params: null, row_count: 1 });
    const baseline = (await logOf(part)).body.entries.at(-1);
    expect(baseline).toMatchObject({ operation: 'baseline', params: null });
  });
});

describe('One entry', () => {
  it('is not there if it has no rows inside', async () => {
    const [outside, inside, both] = [
      await scale({ Region: 'C' }),
      await scale({ Region: 'A' }),
      await scale({}),
    ];
    const { status, body } = await part.get(`/log/${outside}/entry`);
    expect([status, body]).toEqual([404, { error: `There is no log entry ${outside}` }]);
    const read = async (id: number) => ok(await part.get(`/log/${id}/entry`)).body;
    expect(await read(inside)).toMatchObject({ slice: { Region: 'A' }, params: { pct: 10 } });
    expect(await read(both)).toMatchObject({ id: both, slice: null, params: null });
  });
});

describe('Undone entries', () => {
  it('are those that wrote rows inside only', async () => {
    const inside = await scale({ Region: 'A' });
    for (const id of [await scale({ Region: 'C' }), await scale({ Product: 'x' })]) await undo(id);
    const list = async (api: Api) => ok(await api.get(`${path}/undone`)).body;
    expect(await list(part)).toEqual([]);
    await undo(inside);
    const [all] = await list(admin);
    expect(all).toMatchObject({ logid: inside, value_total: 12 });
    expect(await list(part)).toEqual([all]);
  });
});

describe('Totals', () => {
  it('of the version and by month are those of the rows inside', async () => {
    await scale({ Product: 'x' });
    const { plan, months } = ok(await part.get(`${path}/totals`)).body;
    const wanted = await service.query(
      `SELECT date_trunc('month', "Day")::date::text AS month, count(*)::int AS row_count,
         sum("Sales")::float8 AS value_total FROM ${made.table} WHERE ${INSIDE} GROUP BY 1 ORDER BY 1`,
    );
    expect(months).toEqual(wanted.map((row) => ({ ...row, units_total: null })));
    expect(plan.row_count).toBe(wanted.reduce((sum, row) => sum + Number(row.row_count), 0));
    await scale({ Region: 'C' });
    expect(ok(await part.get(`${path}/totals`)).body).toMatchObject({ plan, months });
  });

  it('of a slice and by entry are those of the rows inside', async () => {
    await scale({ Product: 'x' });
    await scale({ Region: 'C' });
    for (const slice of [{}, { Product: 'x' }, { Region: 'C' }, { Region: ['B', 'C'] }]) {
      const where = Object.entries(slice).map(
        ([name, value]) => `"${name}" IN ('${[value].flat().join("', '")}')`,
      );
      const wanted = await service.query(
        `SELECT pf_logid AS logid, count(*)::int AS row_count, sum("Sales")::float8 AS value_total
         FROM ${made.table} WHERE ${[INSIDE, ...where].join(' AND ')} GROUP BY 1 ORDER BY 1`,
      );
      const { entries, included } = ok(await part.post(`${path}/explain`, { slice })).body;
      expect(
        entries.map(({ logid, row_count, value_total }: Record<string, unknown>) => ({
          ...{ logid, row_count, value_total },
        })),
      ).toEqual(wanted.map((row) => ({ ...row, logid: Number(row.logid) })));
      const { rows } = ok(await part.post(`${path}/rows`, { slice })).body;
      const stored = await service.query(
        `SELECT pf_logid::int, "Region", "Product", "Sales"::float8 FROM ${made.table}
         WHERE ${[INSIDE, ...where].join(' AND ')}`,
      );
      const inOrder = (some: object[]) => some.map((row) => JSON.stringify(row)).toSorted();
      expect(
        inOrder(
          rows.map(({ pf_logid, Region, Product, Sales }: Record<string, unknown>) => ({
            ...{ pf_logid, Region, Product, Sales },
          })),
        ),
      ).toEqual(inOrder(stored));
      const by = ['Region', 'Product'];
      const seen = ok(await part.post(`${path}/slice`, { slice, by })).body;
      expect(seen).toMatchObject({
        row_count: included.row_count,
        value_total: included.value_total,
      });
      const groups = await service.query(
        `SELECT ARRAY["Region", "Product"] AS "group", sum("Sales")::float8 AS value_total
         FROM ${made.table} WHERE ${[INSIDE, ...where].join(' AND ')} GROUP BY 1 ORDER BY 1`,
      );
      expect(seen.groups).toEqual(groups.map((row) => ({ ...row, units_total: null })));
    }
  });
});

describe('Accuracy', () => {
  it('is computed from the rows inside, and ends with their last month', async () => {
    await scale({ Region: 'C' });
    await scale({ Region: 'A' }, { pct: 50 });
    const actuals = { through: '2027-03-31' };
    ok(await admin.post(`${path}/actuals`, actuals));
    const { body } = ok(await part.get(`${path}/accuracy?by=Region`));
    const wanted = await service.query(
      `SELECT date_trunc('month', "Day")::date::text AS month, "Region",
         sum("Sales")::float8 AS actual, sum("Sales") FILTER (WHERE pf_iter <> 'actual')::float8 AS forecast
       FROM ${made.table} WHERE ${INSIDE} GROUP BY 1, 2
       HAVING sum("Sales") FILTER (WHERE pf_iter = 'actual') <> 0 ORDER BY 3 DESC`,
    );
    expect(wanted).toHaveLength(2);
    expect(
      body.worst.map(
        ({ month, cell, actual, forecast }: Record<string, Record<string, unknown>>) => ({
          ...{ month, ...cell, actual: actual?.value, forecast: forecast?.value },
        }),
      ),
    ).toEqual(wanted);
    expect(body).toMatchObject({
      through: '2027-02-28',
      cells: 3,
      people: [{ pf_user: 'eve', entries: 1 }],
    });
    expect(ok(await admin.get(`${path}/accuracy`)).body.through).toBe('2027-03-31');
  });
});

describe('Values of a column', () => {
  it('are those of the rows that a load would write inside', async () => {
    const { sourceId, tname } = await sourceOf([
      { name: 'Day', type: 'timestamp', role: 'date', group: 'day' },
      { name: 'Month', type: 'text', role: 'dimension', group: 'day', period: 'period_key' },
      { name: 'value', type: 'text', role: 'dimension' },
      { name: 'Remark', type: 'text', role: 'filter' },
      { name: 'Sales', type: 'numeric', role: 'value' },
    ]);
    const give = async (read: object) =>
      ok(
        await admin.post(`/sources/${sourceId}/territories`, { member: 'part', read, write: null }),
      );
    await give({ value: 'A', Day: { to: '2027-02-28' } });
    await give({ Month: '2027-04' });
    const inside = `(value = 'A' AND "Day"::date <= '2027-02-28') OR to_char("Day", 'YYYY-MM') = '2027-04'`;
    const read = async (api: Api, column: string, search = '') =>
      ok(await api.get(`/sources/${sourceId}/values?cname=${column}&search=${search}`)).body;
    for (const column of ['Day', 'value', 'Remark']) {
      const values = await service.query(
        `SELECT "${column}"::text AS value, count(*)::int AS row_count FROM ${tname} WHERE ${inside}
         GROUP BY 1 ORDER BY 2 DESC, "${column}"::text COLLATE "C"`,
      );
      expect(await read(part, column)).toEqual({ values, more: false });
    }
    expect(await read(part, 'Remark', 'hidden')).toEqual({ values: [], more: false });
    expect((await read(admin, 'Remark', 'hidden')).values).toHaveLength(1);
  });
});

describe('Locks', () => {
  it('are those on rows inside, without values that these rows do not have', async () => {
    const lock = async (slice: object) => ok(await admin.post(`${path}/locks`, { slice }));
    await lock({ Product: 'z' });
    await lock({ Region: 'C' });
    await lock({ Product: ['x', 'z'], Region: ['A', 'C'] });
    await lock({ Day: { from: '2026-01-01', to: '2027-02-28' } });
    await lock({ Region: 'A', Product: 'z' });
    await lock({});
    const slices = async (api: Api) =>
      ok(await api.get(`${path}/locks`)).body.map(({ slice }: { slice: object }) => slice);
    expect(await slices(part)).toEqual([
      { Product: ['x'], Region: ['A'] },
      { Day: { from: '2027-01-31', to: '2027-02-28' } },
      { Region: 'A', Product: 'z' },
      {},
    ]);
    expect(await slices(admin)).toHaveLength(6);
  });
});

describe('Comments and reviews', () => {
  it('are those of slices inside', async () => {
    for (const slice of [{ Region: 'A' }, { Product: 'x' }, { Region: 'A', Product: 'z' }]) {
      ok(await admin.post(`${path}/comments`, { slice, text: 'a text' }));
    }
    const comments = ok(await part.get(`${path}/comments`)).body;
    expect(comments.map(({ slice }: { slice: object }) => slice)).toEqual([
      { Region: 'A' },
      { Region: 'A', Product: 'z' },
    ]);
  });

  it('tell the newest entry inside with each step', async () => {
    const inside = await scale({ Region: 'A' });
    await scale({ Region: 'C' });
    for (const slice of [{ Region: 'A' }, { Product: 'x' }]) {
      ok(await admin.post(`${path}/reviews`, { slice, reviewers: ['rita'] }));
    }
    const reviews = ok(await part.get(`${path}/reviews`)).body;
    expect(reviews).toMatchObject([
      { slice: { Region: 'A' }, steps: [{ step: 'open', newest_entry: inside }] },
    ]);
    expect(reviews).toHaveLength(1);
  });
});

describe('Views and profiles', () => {
  it('are left out, since their names and contents may name values', async () => {
    const source = `/sources/${made.sourceId}`;
    ok(
      await admin.post(`${source}/views`, {
        name: 'C',
        layout: { filter: [['Region', '==', 'C']] },
      }),
    );
    const weights = Array.from({ length: 12 }, () => 1);
    ok(await admin.post(`${source}/profiles`, { name: 'C', weights }));
    for (const list of ['views', 'profiles']) {
      expect(ok(await part.get(`${source}/${list}`)).body).toEqual([]);
      expect(ok(await admin.get(`${source}/${list}`)).body).toHaveLength(1);
    }
  });
});

describe('The event stream', () => {
  it('tells only that something inside has changed', async () => {
    const stream = await openEvents(service.url, path, signedIn('part'));
    expect(await stream.next()).toMatchObject({ id: '0' });
    const changes = [
      () => scale({ Region: 'A' }),
      () => scale({ Product: 'x' }),
      () => admin.post(`${path}/comments`, { slice: { Region: 'A' }, text: 'inside' }),
      () => admin.post(`${path}/locks`, { slice: { Region: 'A' } }),
    ];
    for (const change of changes) {
      // An event for any of these would come before the one for the change inside.
      const outside = await scale({ Region: 'C' });
      ok(await admin.patch(`/log/${outside}`, { note: 'outside' }));
      ok(await admin.post(`${path}/comments`, { slice: { Region: 'C' }, text: 'outside' }));
      ok(await admin.post(`${path}/locks`, { slice: { Product: 'z' } }));
      await undo(await scale({ Region: 'C', Product: 'x' }));
      await change();
      expect(await stream.events(1)).toEqual([{ id: '0', event: 'resync', data: {} }]);
    }
    ok(await admin.del(`/versions/${made.id}`));
    const last = await stream.events(1);
    expect(last).toEqual([{ id: '0', event: 'deleted', data: {} }]);
  });
});
