// Tests docs/contract/13-forecast-table.md.
import { Buffer } from 'node:buffer';
import { describe, expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { it } from '../../support/api';
import { decode, makePlan, makeSource, makeVersion, ok, ORDER_COLUMNS, ORDERS } from './orders';

const user = { pf_user: 'ann' };

describe('Names', () => {
  it('cuts a long table name at a character, and keeps the version id complete', async ({
    service,
  }) => {
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

  /** Names that could break a statement: keywords, quotes, tokens, and the service's own working names. */
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

  it.for([false, true])(
    'works with odd column names everywhere (grain: %s)',
    async (grain, { service }) => {
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
          // Only rows of this entry exist, and nothing outside the set has changed.
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
    },
  );
});

describe('Views and partitioned tables as sources', () => {
  it.for([
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
  ] as const)('%s', async ([, sql, tname], { service }) => {
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
