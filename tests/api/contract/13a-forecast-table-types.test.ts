// Tests docs/contract/13-forecast-table.md.

import { describe, expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { it } from '../../support/api';
import {
  decode,
  GRAIN_COLUMNS,
  makePlan,
  makeSource,
  makeVersion,
  ok,
  ORDERS,
  refused,
  typesOf,
} from './orders';

const user = { pf_user: 'ann' };

describe('Types are wide enough', () => {
  it('widens numbers and texts, resolves domains, and converts every date to date', async ({
    service,
  }) => {
    await service.query(`
      CREATE TYPE public.colour AS ENUM ('red', 'green');
      CREATE DOMAIN public.code AS varchar(3) NOT NULL CHECK (VALUE <> '');
      CREATE DOMAIN public.price AS numeric(8,3) DEFAULT 1;
      CREATE TABLE public.typed (
        i2 smallint NOT NULL, i4 integer NOT NULL DEFAULT 4, i8 bigint GENERATED ALWAYS AS IDENTITY,
        num numeric(12,2), free numeric, r real, d double precision, dom public.price,
        v varchar(5), c char(4), e public.colour, domain_text public.code,
        day date NOT NULL, at timestamptz, plain timestamp(0), b boolean, u uuid,
        made numeric(12,2) GENERATED ALWAYS AS (num * 2) STORED)`);
    const dimensions = [
      'i2',
      'i4',
      'i8',
      'free',
      'r',
      'd',
      'dom',
      'v',
      'c',
      'e',
      'domain_text',
      'b',
      'u',
      'made',
    ];
    const id = await makeSource(service, 'typed', [
      ...dimensions.map((cname): ColumnSave => ({ cname, role: 'dimension' })),
      ...['day', 'at', 'plain'].map((cname): ColumnSave => ({ cname, role: 'date' })),
      { cname: 'num', role: 'value' },
    ]);
    const versionId = await makeVersion(service, id);
    const table = `pf.fc_typed_${versionId}`;
    expect(await typesOf(service, table)).toEqual({
      ...{
        i2: 'bigint',
        i4: 'bigint',
        i8: 'bigint',
        num: 'numeric',
        free: 'numeric',
        made: 'numeric',
      },
      ...{ r: 'double precision', d: 'double precision', dom: 'numeric' },
      ...{ v: 'text', c: 'text', e: 'text', domain_text: 'text', b: 'boolean', u: 'uuid' },
      ...{ day: 'date', at: 'date', plain: 'date' },
    });
    const [kept] = await service.query(
      `SELECT count(*) FILTER (WHERE attnotnull) AS not_null, count(*) FILTER (WHERE atthasdef) AS defaults
       FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 AND attname NOT LIKE 'pf\\_%'`,
    );
    expect(kept).toEqual({ not_null: 0, defaults: 0 });
    const [keys] = await service.query(
      `SELECT count(*) FILTER (WHERE contype = 'f') AS foreign_keys,
         count(*) FILTER (WHERE contype = 'p') AS primary_keys FROM pg_constraint
       WHERE conrelid = '${table}'::regclass OR confrelid = '${table}'::regclass`,
    );
    expect(keys).toEqual({ foreign_keys: 0, primary_keys: 1 });
  });

  it("casts timestamps to dates in UTC, whatever the server's time zone", async ({ service }) => {
    await service.query(`
      CREATE TABLE public.stamped (k text, at timestamptz, plain timestamp, v numeric(12,2));
      INSERT INTO public.stamped VALUES
        ('a', '2026-03-31 23:30-05', '2026-03-31 23:59:59', 1),
        ('b', '2026-03-01 02:00+05:30', '2026-03-01 00:00', 2)`);
    const id = await makeSource(service, 'stamped', [
      { cname: 'k', role: 'dimension' },
      { cname: 'at', role: 'date' },
      { cname: 'plain', role: 'date' },
      { cname: 'v', role: 'value' },
    ]);
    const { table, path } = await makePlan(service, id);
    expect(await service.query(`SELECT k, at, plain FROM ${table} ORDER BY k`)).toEqual([
      { k: 'a', at: '2026-04-01', plain: '2026-03-31' },
      { k: 'b', at: '2026-02-28', plain: '2026-03-01' },
    ]);
    const { rows } = decode((await service.api.get(`${path}/data`)).bytes);
    expect(rows.find((r) => r.k === 'a')).toMatchObject({
      at: Date.UTC(2026, 3, 1),
      plain: Date.UTC(2026, 2, 31),
    });
    const scaled = await service.api.post(`${path}/scale`, {
      ...user,
      slice: { at: '2026-04-01' },
      pct: 100,
    });
    expect(scaled.body).toMatchObject([{ k: 'a', at: '2026-04-01', plain: '2026-03-31', v: 1 }]);
  });
});

describe('Values that a pivot can and cannot distinguish', () => {
  it.for([
    ['interval', '1 day', '24:00:00'],
    ['jsonb', '1', '1.0'],
    ['numeric[]', '{1}', '{1.0}'],
  ] as const)(
    'keeps equal values of %s separate if they print differently',
    async ([type, one, other], { service }) => {
      for (const grain of [false, true]) {
        const tname = `alike_${type.replace('[]', 's')}_${grain}`;
        await service.query(`
        CREATE TABLE public.${tname} (k ${type}, v numeric(12,2));
        INSERT INTO public.${tname} VALUES ('${one}', 100), ('${other}', 10), ('${other}', 5)`);
        const id = await makeSource(service, tname, [
          { cname: 'k', role: 'dimension', in_grain: grain },
          { cname: 'v', role: 'value' },
        ]);
        const { path } = await makePlan(service, id);
        const { rows } = decode((await service.api.get(`${path}/${grain ? 'agg' : 'data'}`)).bytes);
        expect(new Set(rows.map((row) => row.k))).toEqual(new Set([one, other]));

        const sliced = async (k: unknown) =>
          (await service.api.post(`${path}/slice`, { slice: { k } })).body;
        expect(await sliced(one)).toMatchObject({ row_count: 1, value_total: 100 });
        expect(await sliced(other)).toMatchObject({ row_count: 2, value_total: 15 });

        const scaled = ok(await service.api.post(`${path}/scale`, { ...user, slice: {}, pct: 10 }));
        const written = scaled.body.map((row: { k: string; v: number }) => [row.k, row.v]);
        expect(new Map(written)).toEqual(
          new Map([
            [one, 10],
            [other, 1.5],
          ]),
        );
        const set = { k: one };
        ok(await service.api.post(`${path}/recode`, { ...user, slice: { k: other }, set }));
        expect(await sliced(other)).toMatchObject({ value_total: 0 });
        expect(await sliced(one)).toMatchObject({ value_total: 126.5 });
      }
    },
  );

  it.for([
    ['bc', 'date', 'date', `'0044-03-15 BC'`, /before Christ/],
    ['far', 'date', 'date', `'65536-01-01'`, /65535/],
    ['fine', 'dimension', 'numeric', '0.10000000000000000001', /more digits/],
    ['third', 'dimension', 'numeric', '0.33333333333333333333', /more digits/],
  ] as const)(
    'refuses to load values that a pivot cannot show: %s',
    async ([name, role, type, value, why], { service }) => {
      const tname = `unshown_${name}`;
      await service.query(`CREATE TABLE public.${tname} AS SELECT ${value}::${type} AS k, 1 AS v`);
      const id = await makeSource(service, tname, [
        { cname: 'k', role },
        { cname: 'v', role: 'value' },
      ]);
      const version = await makeVersion(service, id);
      const answer = await service.api.post(`/versions/${version}/baseline`, user);
      expect(answer.status).toBe(422);
      expect(answer.body.error).toMatch(why);
      expect((await service.api.get(`/versions/${version}/log`)).body.entries).toEqual([]);
    },
  );

  it('loads the days and numbers that a pivot can show, and selects by them', async ({
    service,
  }) => {
    await service.query(`
      CREATE TABLE public.shown (n numeric, d date, v int);
      INSERT INTO public.shown VALUES (0.3, '9999-12-31', 1), (0.30000000000000004, '10000-01-01', 2),
        (100000, '65535-12-31', 4), (100000.250, '0001-01-01', 8), (1e-20, NULL, 16)`);
    const id = await makeSource(service, 'shown', [
      { cname: 'n', role: 'dimension' },
      { cname: 'd', role: 'date' },
      { cname: 'v', role: 'value' },
    ]);
    const { path } = await makePlan(service, id);
    const total = async (slice: Record<string, unknown>) =>
      (await service.api.post(`${path}/slice`, { slice })).body.value_total;
    const numbers = [
      [0.3, 1],
      [0.1 + 0.2, 2],
      [100000, 4],
      [100000.25, 8],
      [1e-20, 16],
    ];
    for (const [n, v] of numbers) expect(await total({ n })).toBe(v);
    expect(await total({ d: '10000-01-01' })).toBe(2);
    for (const [set, status] of [
      [{ n: '0.10000000000000000001' }, 422],
      [{ n: '0.10' }, 200],
      [{ d: '65536-01-01' }, 422],
    ] as const) {
      const answer = await service.api.post(`${path}/clone`, { ...user, slice: { n: 0.3 }, set });
      expect([set, answer.status]).toEqual([set, status]);
    }
  });
});

describe('Odd types as dimensions', () => {
  /** type, two values as SQL, the first as transmitted, and the second as a `set` may name it. */
  const ODD_TYPES: [type: string, a: string, b: string, travels: unknown, setTo: unknown][] = [
    ['jsonb', `'{"b":1,"a":[2]}'`, `'"x"'`, '{"a": [2], "b": 1}', '"x"'],
    [
      'uuid',
      `'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'`,
      `'00000000-0000-0000-0000-000000000000'`,
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
      '00000000-0000-0000-0000-000000000000',
    ],
    ['boolean', 'true', 'false', true, false],
    ['text[]', `'{a,"b,c",NULL}'`, `'{}'`, '{a,"b,c",NULL}', '{}'],
    ['integer[]', `'{1,2}'`, `'{3}'`, '{1,2}', '{3}'],
    ['public.mood', `'glad'`, `'sad'`, 'glad', 'sad'],
    [
      'timestamptz',
      `'2026-03-31 23:30-05'`,
      `'2026-01-01 00:00+00'`,
      '2026-04-01 04:30:00+00',
      '2026-01-01 00:00:00+00',
    ],
    [
      'timestamp(3)',
      `'2026-03-31 23:30:00.125'`,
      `'2026-01-01'`,
      '2026-03-31 23:30:00.125',
      '2026-01-01 00:00:00',
    ],
    ['date', `'2026-03-31'`, `'2026-01-01'`, '2026-03-31', '2026-01-01'],
    ['public.short_code', `'abc'`, `'xyz'`, 'abc', 'xyz'],
    ['time', `'23:30:15'`, `'00:00'`, '23:30:15', '00:00:00'],
    ['timetz', `'23:30:15+02'`, `'00:00+00'`, '23:30:15+02', '00:00:00+00'],
    [
      'interval',
      `'1 year 2 months 3 days 04:05:06'`,
      `'-1 day'`,
      '1 year 2 mons 3 days 04:05:06',
      '-1 days',
    ],
    ['money', `12.5::numeric::money`, `3::int::money`, null, null],
    ['bytea', `'\\xdead'::bytea`, `'\\x00'::bytea`, '\\xdead', '\\x00'],
    ['inet', `'10.0.0.1'`, `'::1'`, '10.0.0.1/32', '::1/128'],
    ['cidr', `'10.0.0.0/8'`, `'10.1.0.0/16'`, '10.0.0.0/8', '10.1.0.0/16'],
    [
      'macaddr',
      `'08:00:2b:01:02:03'`,
      `'08:00:2b:01:02:04'`,
      '08:00:2b:01:02:03',
      '08:00:2b:01:02:04',
    ],
    ['bit(3)', `B'101'`, `B'000'`, '101', '000'],
    ['int4range', `'[1,5)'`, `'empty'`, '[1,5)', 'empty'],
    ['char(5)', `'ab'`, `'cd'`, 'ab', 'cd'],
    ['"char"', `'a'`, `'b'`, 'a', 'b'],
    ['name', `'ab'`, `'cd'`, 'ab', 'cd'],
    ['smallint', '7', '8', 7, 8],
    ['bigint', '9007199254740991', '-5', 9007199254740991, -5],
    ['numeric(10,4)', '1.5000', '2', 1.5, 2],
    ['real', '1.5', '2', 1.5, 2],
    ['double precision', '0.1', '2', 0.1, 2],
    ['tsvector', `'a b'`, `'c'`, `'a' 'b'`, `'c'`],
    ['oid', '5', '6', '5', '6'],
  ];

  it.beforeAll(({ service }) =>
    service.query(
      `CREATE TYPE public.mood AS ENUM ('sad', 'glad'); CREATE DOMAIN public.short_code AS varchar(3) CHECK (VALUE ~ '^[a-z]+$')`,
    ),
  );

  it.for(ODD_TYPES)('%s', async ([type, a, b, travels, setTo], { service }) => {
    for (const grain of [false, true]) {
      const tname = `odd_${ODD_TYPES.findIndex(([t]) => t === type)}_${grain}`;
      await service.query(`
        CREATE TABLE public.${tname} (k ${type}, g text, v numeric(12,2));
        INSERT INTO public.${tname} VALUES (${a}, 'a', 100), (${b}, 'b', 10), (NULL, 'n', 1), (${a}, 'c', 5)`);
      const id = await makeSource(service, tname, [
        { cname: 'k', role: 'dimension', in_grain: grain },
        { cname: 'g', role: 'dimension', in_grain: grain },
        { cname: 'v', role: 'value' },
      ]);
      const { path, table } = await makePlan(service, id);
      expect((await service.api.get(`/tables/public/${tname}`)).body.rows).toHaveLength(4);
      const load = async () =>
        decode((await service.api.get(`${path}/${grain ? 'agg' : 'data'}`)).bytes).rows;
      const rows = await load();
      expect(rows).toHaveLength(4);
      const seen = rows.find((r) => r.g === 'a')?.k;
      const [as] = await service.query(`SELECT k::text AS text FROM ${table} WHERE g = 'a'`);
      const wanted = travels ?? as.text;
      expect(seen).toEqual(type === 'date' ? Date.parse(`${travels}`) : wanted);
      if (grain) {
        const [{ key }] = await service.query(
          `SELECT concat_ws(chr(31), COALESCE(k::text, chr(30)), COALESCE(g::text, chr(30)), pf_iter, pf_logid::text) AS key FROM ${table} WHERE g = 'a'`,
        );
        expect(rows.find((r) => r.g === 'a')?.pf_gkey).toBe(key);
      }
      // The transmitted value selects its rows.
      const sliced = async (k: unknown) =>
        (await service.api.post(`${path}/slice`, { slice: { k } })).body;
      expect(await sliced(wanted)).toMatchObject({ row_count: 2, value_total: 105 });
      expect(await sliced(null)).toMatchObject({ row_count: 1, value_total: 1 });
      expect(await sliced([wanted, null])).toMatchObject({ row_count: 3 });

      const target =
        setTo ?? (await service.query(`SELECT k::text AS t FROM ${table} WHERE g = 'b'`))[0].t;
      const moved = ok(
        await service.api.post(`${path}/recode`, {
          ...user,
          slice: { k: wanted },
          set: { k: target },
        }),
      ).body;
      expect(new Set(moved.map((r: { k: unknown; v: number }) => `${r.k} ${r.v}`))).toEqual(
        new Set([`${wanted} -100`, `${wanted} -5`, `${target} 100`, `${target} 5`]),
      );
      expect(await sliced(target)).toMatchObject({ value_total: 115 });
      const empty = ok(
        await service.api.post(`${path}/clone`, {
          ...user,
          slice: { k: target },
          set: { k: null },
        }),
      ).body;
      expect(empty.every((r: { k: unknown }) => r.k === null)).toBe(true);
      const reloaded = await load();
      const key = grain ? 'pf_gkey' : 'pf_id';
      for (const row of [...moved, ...empty]) {
        const same = reloaded.find((r) => r[key] === row[key]);
        expect([row.v, type === 'date' && row.k !== null ? Date.parse(row.k) : row.k]).toEqual([
          same?.v,
          same?.k,
        ]);
      }
      const undone = await service.api.del(`/log/${moved[0].pf_logid}`);
      expect(undone.body.rows_deleted).toBe(4);
      if (grain) {
        expect(new Set(undone.body.pf_gkeys)).toEqual(
          new Set(moved.map((r: { pf_gkey: string }) => r.pf_gkey)),
        );
      }
    }
  });

  it('refuses a slice or set value of another type, and names it', async ({ service }) => {
    const id = (await service.query(`SELECT id FROM pf.source WHERE tname = 'odd_1_false'`))[0].id;
    const { path } = await makePlan(service, id);
    await refused(
      service,
      () => service.api.post(`${path}/scale`, { ...user, slice: { k: 'no uuid' }, pct: 1 }),
      400,
      /no uuid/,
    );
    await refused(
      service,
      () => service.api.post(`${path}/recode`, { ...user, slice: {}, set: { k: 'no uuid' } }),
      400,
      /no uuid/,
    );
    expect((await service.api.post(`${path}/slice`, { slice: { k: 'no uuid' } })).status).toBe(400);
  });
});

describe('Columns whose type differs from that in the browser', () => {
  it('a source that changed under a version needs a new generation', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.lost'));
    const id = await makeSource(service, 'lost', GRAIN_COLUMNS);
    const { path } = await makePlan(service, id);
    await service.query('ALTER TABLE public.lost DROP COLUMN amount');
    await refused(service, () => service.api.post(`${path}/baseline`, user), 409, /generate/);
    await service.query('DROP TABLE public.lost');
    for (const load of ['baseline', 'baseline/preview']) {
      await refused(service, () => service.api.post(`${path}/${load}`, user), 409, /generate/);
    }
    // Loaded rows can still be planned on: they are in the forecast table.
    expect((await service.api.get(`${path}/data`)).headers.get('x-row-count')).toBe('12');
    expect((await service.api.get(`${path}/log`)).body).toMatchObject({
      value_total: 1554,
      units_total: 155,
    });
    const rows = ok(
      await service.api.post(`${path}/scale`, {
        ...user,
        slice: { region: 'North' },
        value_incr: 10,
        units_incr: 1,
      }),
    ).body;
    expect(rows).toMatchObject([{ region: 'North', amount: 10, pieces: 1 }]);
    const undone = await service.api.del(`/log/${rows[0].pf_logid}`);
    expect(undone.body).toEqual({ rows_deleted: 3, pf_gkeys: [rows[0].pf_gkey] });
  });
});

it("filters whole numbers of any size, even beyond a browser's", async ({ service }) => {
  await service.query(`CREATE TABLE public.snowflakes AS
    SELECT 9223372036854775000 + i AS id, i::smallint AS small, 'k' AS k, i AS amount
    FROM generate_series(1, 3) AS i`);
  const id = await makeSource(service, 'snowflakes', [
    { cname: 'id', role: 'filter' },
    { cname: 'small', role: 'filter' },
    { cname: 'k', role: 'dimension' },
    { cname: 'amount', role: 'value' },
  ]);
  const { path } = await makePlan(service, id);
  const matching = async (cname: string, op: string, value: unknown) =>
    ok(await service.api.post(`${path}/baseline/preview`, { filters: [[{ cname, op, value }]] }))
      .body.row_count;
  expect(await matching('id', '=', '9223372036854775002')).toBe(1);
  expect(await matching('id', 'in', ['9223372036854775001', '9223372036854775003'])).toBe(2);
  expect(await matching('id', '<', '92233720368547758070')).toBe(3);
  expect(await matching('small', '<', 1e18)).toBe(3);
  expect(await matching('small', '=', '-99999999999999999999')).toBe(0);
});
