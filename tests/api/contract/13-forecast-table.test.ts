// Holds what docs/contract/13-forecast-table.md promises.
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { startService, type Service } from '../../support/service';
import {
  decode,
  GRAIN_COLUMNS,
  makePlan,
  makeSource,
  makeVersion,
  ok,
  ORDER_COLUMNS,
  ORDERS,
  refused,
} from './orders';

let service: Service;
const user = { pf_user: 'ann' };

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const typesOf = async (table: string) =>
  Object.fromEntries(
    (
      await service.query(
        `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
         WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT LIKE 'pf\\_%'`,
      )
    ).map((c) => [c.name, c.type]),
  );

describe('Types are wide enough', () => {
  it('widens numbers and texts, resolves domains, and makes every date a date', async () => {
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
    expect(await typesOf(table)).toEqual({
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

  it('casts timestamps to dates in UTC, whatever the server thinks', async () => {
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

describe('Names', () => {
  it('cuts a long table name at a character, and keeps the version id whole', async () => {
    const names = ['x'.repeat(63), 'ä'.repeat(31), '😀'.repeat(15), `${'y'.repeat(56)}ß`];
    for (const tname of names) {
      await service.query(
        `CREATE TABLE public."${tname}" (k text, v int); INSERT INTO public."${tname}" VALUES ('a', 1)`,
      );
      const id = await makeSource(service, tname, [
        { cname: 'k', role: 'dimension' },
        { cname: 'v', role: 'value' },
      ]);
      const versions = [await makeVersion(service, id), await makeVersion(service, id)];
      for (const versionId of versions) {
        ok(await service.api.post(`/versions/${versionId}/baseline`, user));
        const tables = await service.query(
          `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'pf' AND tablename LIKE 'fc\\_%\\_${versionId}'`,
        );
        expect(tables).toHaveLength(1);
        const [{ name }] = tables;
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63);
        expect(tname.startsWith(name.slice(3, -`_${versionId}`.length))).toBe(true);
        expect(name).not.toContain('\ufffd');
        const answer = await service.api.get(`/versions/${versionId}/data`);
        expect(answer.headers.get('x-row-count')).toBe('1');
      }
      ok(await service.api.del(`/versions/${versions[0]}`));
      expect((await service.api.get(`/versions/${versions[1]}/log`)).body.value_total).toBe(1);
    }
  });

  /** Names that a statement could trip over: keywords, quotes, tokens, and its own working names. */
  const ODD_NAMES = [
    ...[
      'Order Date',
      'sub-category',
      'select',
      'a"b',
      "it's",
      'back\\slash',
      '{{logid}}',
      '{{',
      'a.b',
      '%s',
      '$1',
      'ü ß',
    ],
    ...[
      'value_weight',
      'units_weight',
      'value_total',
      'value_running',
      'value_swing',
      'value_up_to',
      'units_up_to',
    ],
    ...[
      'sign',
      'leaves',
      'side',
      'sides',
      'target',
      'written',
      'running',
      'copies',
      'weighted',
      'summed',
      'shared',
      'deltas',
    ],
    ...[
      'leaf_order',
      'gone',
      'row_count',
      'included',
      'problems',
      'outside',
      's',
      'f',
      'p',
      'period_1',
      'sdat',
      'cal_year',
    ],
    ...['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'length', 'then'],
    ...[
      'pf_user',
      'version_id',
      'logid',
      'note',
      'fc_table',
      'described',
      'groups',
      'n',
      'value',
      'c'.repeat(63),
    ],
  ];
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

  it.each([false, true])('works with odd column names throughout (grain: %s)', async (grain) => {
    const tname = grain ? 'odd_grain' : 'odd_raw';
    const columns = ODD_NAMES.map((name) => `${quoted(name)} text`).join(', ');
    await service.query(`
      CREATE TABLE public.${tname} (${columns}, "day" date, "the value" numeric(12,2), "units" int);
      INSERT INTO public.${tname} SELECT ${ODD_NAMES.map((_, i) => `'v${i}'`).join(', ')}, '2026-01-01', 100, 10;
      INSERT INTO public.${tname} SELECT ${ODD_NAMES.map((_, i) => `'w${i}'`).join(', ')}, '2026-01-02', 50, 5`);
    const id = await makeSource(service, tname, [
      ...ODD_NAMES.map((cname): ColumnSave => ({ cname, role: 'dimension', in_grain: grain })),
      { cname: 'day', role: 'date' },
      { cname: 'the value', role: 'value' },
      { cname: 'units', role: 'units' },
    ]);
    const filters = [
      [
        { cname: '{{logid}}', op: 'in', value: ['v6', 'w6'] },
        { cname: 'a"b', op: 'like', value: '%3' },
      ],
    ];
    const versionId = await makeVersion(service, id);
    const path = `/versions/${versionId}`;
    expect(
      ok(await service.api.post(`${path}/baseline`, { ...user, filters })).body.row_count,
    ).toBe(2);
    expect((await service.api.post(`${path}/baseline/preview`, { filters })).body.row_count).toBe(
      2,
    );

    const first = decode(
      (await service.api.get(`${path}/${grain ? 'agg' : 'data'}`)).bytes,
    ).rows.find((r) => r.select === 'v2');
    expect(ODD_NAMES.map((name) => first?.[name])).toEqual(ODD_NAMES.map((_, i) => `v${i}`));

    const slice = Object.fromEntries(ODD_NAMES.map((name, i) => [name, `v${i}`]));
    for (const [operation, more] of [
      ['scale', { value_incr: 10, units_incr: 1 }],
      ['clone', { set: { constructor: 'new' }, scale_factor: 0.5 }],
      ['recode', { set: { toString: 'new', prototype: null } }],
    ] as const) {
      const answer = ok(
        await service.api.post(`${path}/${operation}`, { ...user, slice, ...more }),
      );
      expect(answer.headers.has('x-slice-skipped')).toBe(false);
      for (const row of answer.body) {
        const changed = ODD_NAMES.filter((name, i) => row[name] !== `v${i}`);
        expect(
          changed.filter((name) => !['constructor', 'toString', 'prototype'].includes(name)),
        ).toEqual([]);
        // A row of this entry and no other: nothing that the set does not name has changed.
        if (operation === 'scale') expect(changed).toEqual([]);
        if (operation === 'clone') expect(changed).toEqual(['constructor']);
      }
      expect(
        answer.body.reduce((sum: number, r: Record<string, number>) => sum + r['the value']!, 0),
      ).toBeCloseTo({ scale: 10, clone: 55, recode: 0 }[operation]);
    }
    for (const name of ODD_NAMES) {
      const touched = await service.api.post(`${path}/slice`, {
        slice: { [name]: `w${ODD_NAMES.indexOf(name)}` },
      });
      expect([name, touched.body.row_count, touched.body.skipped]).toEqual([name, 1, []]);
      const values = await service.api.get(
        `/sources/${id}/values?cname=${encodeURIComponent(name)}`,
      );
      expect([name, values.status, values.body.values?.length]).toEqual([name, 200, 2]);
    }
    expect((await service.api.get(`${path}/segments`)).status).toBe(200);
    const { entries } = (await service.api.get(`${path}/log`)).body;
    for (const { id: logid } of entries)
      expect((await service.api.del(`/log/${logid}`)).status).toBe(200);
    const [{ n }] = await service.query(`SELECT count(*) AS n FROM pf.fc_${tname}_${versionId}`);
    expect(n).toBe(0);
  });
});

describe('Odd types as dimensions', () => {
  /** type, two values as SQL, the first as it travels, and the second as a `set` may name it. */
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

  beforeAll(() =>
    service.query(
      `CREATE TYPE public.mood AS ENUM ('sad', 'glad'); CREATE DOMAIN public.short_code AS varchar(3) CHECK (VALUE ~ '^[a-z]+$')`,
    ),
  );

  it.each(ODD_TYPES)('%s', async (type, a, b, travels, setTo) => {
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
      // What travelled selects the rows it came from.
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

  it('refuses a slice or set value that is none of the type, naming what', async () => {
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

describe('Views and partitioned tables as sources', () => {
  it.each([
    ['a view', `CREATE VIEW public.src_view AS SELECT * FROM public.base_orders`, 'src_view'],
    [
      'a materialized view',
      `CREATE MATERIALIZED VIEW public.src_mat AS SELECT * FROM public.base_orders`,
      'src_mat',
    ],
    [
      'a partitioned table',
      `CREATE TABLE public.src_part (LIKE public.base_orders) PARTITION BY LIST (region);
       CREATE TABLE public.src_part_n PARTITION OF public.src_part FOR VALUES IN ('North');
       CREATE TABLE public.src_part_rest PARTITION OF public.src_part DEFAULT;
       INSERT INTO public.src_part SELECT * FROM public.base_orders`,
      'src_part',
    ],
  ])('%s', async (_, sql, tname) => {
    await service.query(
      ORDERS.replaceAll('public.orders', 'public.base_orders').replace(
        'CREATE TABLE',
        'DROP TABLE IF EXISTS public.base_orders CASCADE; CREATE TABLE',
      ),
    );
    await service.query(sql);
    const id = await makeSource(service, tname, ORDER_COLUMNS);
    const { path } = await makePlan(service, id);
    expect((await service.api.get(`${path}/log`)).body).toMatchObject({
      value_total: 1554,
      units_total: 155,
    });
    const north = ok(
      await service.api.post(`${path}/baseline`, {
        ...user,
        raw_where: `region = 'North'`,
        date_offset: '1 year',
      }),
    ).body;
    expect(north.row_count).toBe(3);
  });
});

describe('Metadata changed while versions exist', () => {
  const make = async (tname: string) => {
    await service.query(ORDERS.replaceAll('public.orders', `public.${tname}`));
    const id = await makeSource(
      service,
      tname,
      ORDER_COLUMNS.map((c) => (c.cname === 'select' ? { ...c, role: 'ignore' } : c)),
    );
    return { id, ...(await makePlan(service, id)) };
  };
  const put = async (id: number, columns: ColumnSave[]) =>
    ok(await service.api.put(`/sources/${id}/columns`, columns));
  const generate = (id: number) => service.api.post(`/sources/${id}/sql`);

  it('adds a new column, empty, to the forecast tables there are', async () => {
    const { id, path, table } = await make('grows');
    await put(id, [{ cname: 'select', role: 'dimension' }]);
    // Until the SQL is generated again, all goes on as before.
    expect(decode((await service.api.get(`${path}/data`)).bytes).fields).not.toHaveProperty(
      'select',
    );
    expect(
      (await service.api.post(`${path}/scale`, { ...user, slice: { region: 'North' }, pct: 1 }))
        .status,
    ).toBe(200);
    ok(await generate(id));
    expect(await typesOf(table)).toHaveProperty('select', 'text');
    ok(await service.api.post(`${path}/baseline`, { ...user, raw_where: `region = 'North'` }));
    const { rows } = decode((await service.api.get(`${path}/data`)).bytes);
    const values = new Map<unknown, number>();
    for (const r of rows) values.set(r.select, (values.get(r.select) ?? 0) + 1);
    expect(Object.fromEntries(values)).toEqual({ null: 15, x: 2, y: 1 });
  });

  it('refuses to drop or retype a column that holds data, and keeps the stored templates', async () => {
    const { id, path } = await make('keeps');
    await put(id, [{ cname: 'region', role: 'filter' }]);
    await refused(service, () => generate(id), 422, /"region"/);
    await put(id, [{ cname: 'region', role: 'dimension' }]);
    await service.query(`ALTER TABLE public.keeps ALTER COLUMN pieces TYPE double precision`);
    await refused(service, () => generate(id), 422, /"pieces".*bigint.*double precision/);
    expect((await service.api.post(`${path}/scale`, { ...user, slice: {}, pct: 1 })).status).toBe(
      200,
    );
    await service.query(`ALTER TABLE public.keeps ALTER COLUMN pieces TYPE integer`);
    ok(await generate(id));
  });

  it('drops or retypes a column of a version that holds nothing', async () => {
    const { id, path, table } = await make('empties');
    ok(await service.api.del(`${path}/baseline`));
    await put(id, [{ cname: 'region', role: 'ignore' }]);
    await service.query(`ALTER TABLE public.empties ALTER COLUMN pieces TYPE double precision`);
    ok(await generate(id));
    const types = await typesOf(table);
    expect(types).not.toHaveProperty('region');
    expect(types.pieces).toBe('double precision');
    expect((await service.api.post(`${path}/baseline`, user)).status).toBe(200);
  });

  it('is all or nothing over the versions of a source', async () => {
    const { id } = await make('several');
    const empty = await makeVersion(service, id);
    await put(id, [
      { cname: 'region', role: 'ignore' },
      { cname: 'select', role: 'dimension' },
    ]);
    const before = await typesOf(`pf.fc_several_${empty}`);
    await refused(service, () => generate(id), 422, /"region"/);
    expect(await typesOf(`pf.fc_several_${empty}`)).toEqual(before);
  });
});

describe('Period columns', () => {
  const load = (path: string, more: object = {}) =>
    service.api.post(`${path}/baseline`, { ...user, ...more });

  it('are empty outside the calendar, and the load counts such rows', async () => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.early'));
    const id = await makeSource(service, 'early', ORDER_COLUMNS);
    const versionId = await makeVersion(service, id);
    const path = `/versions/${versionId}`;
    expect(ok(await load(path, { date_offset: '-8 years' })).body).toMatchObject({
      row_count: 12,
      outside_calendar: 0,
    });
    ok(await service.api.del(`${path}/baseline`));
    const answer = ok(await load(path, { date_offset: '9 years 3 months' })).body;
    expect(answer).toMatchObject({ row_count: 12, outside_calendar: 1 });
    const years = await service.query(
      `SELECT "Order Year" AS y, count(*) AS n FROM pf.fc_early_${versionId} GROUP BY 1 ORDER BY 1`,
    );
    expect(years).toEqual([
      { y: 2035, n: 10 },
      { y: null, n: 2 },
    ]);
    ok(await service.api.del(`${path}/baseline`));
    expect(ok(await load(path, { date_offset: '-30 years' })).body).toMatchObject({
      outside_calendar: 11,
    });
  });

  it('are not counted where the source derives none', async () => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.timeless'));
    const id = await makeSource(
      service,
      'timeless',
      ORDER_COLUMNS.map((c) => ({ ...c, dim_period_col: null })),
    );
    const { body } = await load(`/versions/${await makeVersion(service, id)}`, {
      date_offset: '30 years',
    });
    expect(Object.keys(body)).toEqual(['logid', 'row_count']);
  });

  it('follow the shifted date, each by its own group, fiscal years too', async () => {
    await service.query(`
      CREATE TABLE public.two_dates (ordered date, shipped date, oy int, om text, sfy text, sq smallint, v int);
      INSERT INTO public.two_dates VALUES ('2026-06-30', '2026-07-01', 0, '', '', 0, 5), ('2026-06-30', NULL, 0, 'old', 'old', 9, 7)`);
    const id = await makeSource(service, 'two_dates', [
      { cname: 'ordered', role: 'date', dim_group: 'o' },
      { cname: 'shipped', role: 'date', dim_group: 's' },
      { cname: 'oy', role: 'dimension', dim_group: 'o', dim_period_col: 'cal_year' },
      { cname: 'om', role: 'dimension', dim_group: 'o', dim_period_col: 'cal_month_name' },
      { cname: 'sfy', role: 'dimension', dim_group: 's', dim_period_col: 'fisc_quarter_label' },
      { cname: 'sq', role: 'dimension', dim_group: 's', dim_period_col: 'fisc_quarter' },
      { cname: 'v', role: 'value' },
    ]);
    const versionId = await makeVersion(service, id);
    ok(await load(`/versions/${versionId}`, { date_offset: '1 year' }));
    expect(
      await service.query(
        `SELECT ordered, shipped, oy, om, sfy, sq FROM pf.fc_two_dates_${versionId} ORDER BY v`,
      ),
    ).toEqual([
      {
        ordered: '2027-06-30',
        shipped: '2027-07-01',
        oy: 2027,
        om: 'June',
        sfy: 'FY2028 Q1',
        sq: 1,
      },
      { ordered: '2027-06-30', shipped: null, oy: 2027, om: 'June', sfy: null, sq: null },
    ]);
  });

  it('need a calendar: without one a load or a new date is a 409 that names the command', async () => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.uncalendared'));
    const id = await makeSource(service, 'uncalendared', ORDER_COLUMNS);
    const { path } = await makePlan(service, id);
    await service.query('ALTER TABLE pf.dim_period RENAME TO dim_period_away');
    try {
      await refused(service, () => load(path), 409, /npm run periods/);
      const recode = (set: object) => () =>
        service.api.post(`${path}/recode`, { ...user, slice: { region: 'North' }, set });
      await refused(service, recode({ 'Order Date': '2027-01-01' }), 409, /npm run periods/);
      expect((await recode({ region: 'West' })()).status).toBe(200);
      expect((await service.api.get(`${path}/data`)).status).toBe(200);
    } finally {
      await service.query('ALTER TABLE pf.dim_period_away RENAME TO dim_period');
    }
    await service.query(
      'BEGIN; CREATE TABLE public.kept AS SELECT * FROM pf.dim_period; DELETE FROM pf.dim_period; COMMIT',
    );
    try {
      await refused(service, () => load(path), 409, /npm run periods/);
    } finally {
      await service.query('INSERT INTO pf.dim_period SELECT * FROM public.kept');
    }
    expect((await load(path)).status).toBe(200);
  });
});

describe('What a forecast table may not hold', () => {
  const CASES: [what: string, column: string, value: string, message: RegExp][] = [
    ['chr(31) in a text', 'k text', `'a' || chr(31) || 'b'`, /"k" .*chr\(31\)/],
    ['chr(30) in a text', 'k text', `chr(30)`, /"k" .*chr\(30\)/],
    ['chr(31) in a varchar', 'k varchar(9)', `chr(31)`, /"k"/],
    ['chr(30) in an array', 'k text[]', `ARRAY[chr(30)]`, /"k"/],
    ['NaN in a numeric measure', 'v numeric', `'NaN'`, /"v" .*NaN/],
    ['infinity in a numeric measure', 'v numeric', `'Infinity'`, /"v" .*infinity/],
    ['NaN in a float measure', 'v double precision', `'NaN'`, /"v" .*NaN/],
    ['infinity in a real measure', 'v real', `'-Infinity'`, /"v" .*infinity/],
    ['an endless date', 'd date', `'infinity'`, /"d" .*infini/],
    ['an endless timestamp', 'd timestamptz', `'-infinity'`, /"d" .*infini/],
    ['a dimension beyond 2^53', 'k bigint', '9007199254740993', /"k" .*2\^53/],
    ['a dimension beyond -2^53', 'k bigint', '-9007199254740993', /"k" .*2\^53/],
    ['a numeric dimension beyond 2^53', 'k numeric', '12345678901234567890', /"k"/],
    ['NaN in a numeric dimension', 'k numeric', `'NaN'`, /"k" .*NaN/],
    ['infinity in a float dimension', 'k double precision', `'Infinity'`, /"k" .*infinity/],
  ];

  it.each(CASES)('a load refuses %s, and leaves nothing', async (_, column, value, message) => {
    const tname = `bad_${CASES.findIndex((c) => c[0] === _)}`;
    const columns = { k: 'k text', d: 'd date', v: 'v numeric(12,2)', [column[0]!]: column };
    await service.query(`
      CREATE TABLE public.${tname} (${Object.values(columns).join(', ')}, good boolean);
      INSERT INTO public.${tname} (${column[0]}, good) VALUES (NULL, true), (${value}, false)`);
    const id = await makeSource(service, tname, [
      { cname: 'k', role: 'dimension' },
      { cname: 'd', role: 'date' },
      { cname: 'v', role: 'value' },
      { cname: 'good', role: 'filter' },
    ]);
    const path = `/versions/${await makeVersion(service, id)}`;
    const load = (more = {}) => service.api.post(`${path}/baseline`, { ...user, ...more });
    await refused(service, load, 422, message);
    expect((await load({ raw_where: 'good' })).status).toBe(200);
    expect((await service.api.get(`${path}/data`)).status).toBe(200);
  });

  it('a set refuses separators and numbers that no pivot holds', async () => {
    await service.query(
      `CREATE TABLE public.set_into (k text, n bigint, x numeric, v int); INSERT INTO public.set_into VALUES ('a', 1, 1, 5)`,
    );
    const id = await makeSource(service, 'set_into', [
      ...['k', 'n', 'x'].map((cname): ColumnSave => ({ cname, role: 'dimension' })),
      { cname: 'v', role: 'value' },
    ]);
    const { path } = await makePlan(service, id);
    for (const operation of ['recode', 'clone']) {
      const set = (values: object) => () =>
        service.api.post(`${path}/${operation}`, { ...user, slice: {}, set: values });
      await refused(service, set({ k: 'a\u001fb' }), 422, /"k"/);
      await refused(service, set({ k: '\u001e' }), 422, /"k"/);
      await refused(service, set({ n: 2 ** 60 }), 422, /2\^53/);
      await refused(service, set({ n: '9007199254740993' }), 422, /2\^53/);
      await refused(service, set({ n: 1.5 }), 400, /n/);
      await refused(service, set({ n: 'NaN' }), 400, /n/);
      await refused(service, set({ x: 'NaN' }), 400, /x/);
      await refused(service, set({ x: '1e400' }), 422, /x/);
      await refused(service, set({ x: '12345678901234567890' }), 422, /x/);
      await refused(service, set({ k: 'a\u0000' }), 400, /k/);
    }
  });
});

describe('Columns that differ in type from what the browser shows', () => {
  it('a source changed under a version is asked to be generated again', async () => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.lost'));
    const id = await makeSource(service, 'lost', GRAIN_COLUMNS);
    const { path } = await makePlan(service, id);
    await service.query('ALTER TABLE public.lost DROP COLUMN amount');
    await refused(service, () => service.api.post(`${path}/baseline`, user), 409, /generate/);
    await service.query('DROP TABLE public.lost');
    for (const load of ['baseline', 'baseline/preview']) {
      await refused(service, () => service.api.post(`${path}/${load}`, user), 409, /generate/);
    }
    // What was loaded is planned on as before: all of it is in the forecast table.
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

it('filters whole numbers of any size, though no browser could hold them', async () => {
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
