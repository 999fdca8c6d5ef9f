// Tests docs/contract/11-endpoints.md.
import { describe, expect } from 'vitest';
import { RESERVED_NAMES } from '../../../src/lib/contract/columns';
import type { Service } from '../../support/service';
import { it, makePlan, ok, refused } from './orders';

describe('GET and PUT /sources/:id/columns', () => {
  let id: number;
  const put = (service: Service, entries: unknown) =>
    service.api.put(`/sources/${id}/columns`, entries);

  it.beforeAll(async ({ service }) => {
    await service.query(`
      CREATE TABLE public.odd_columns (
        name text, other text, n int, big bigint, amount numeric, qty real, day date, at timestamptz,
        doc json, docb jsonb, place point, body xml, pf_id int, pf_note text, ok boolean, span interval)`);
    ({ id } = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'odd_columns' }),
    ).body);
  });

  it('returns all entries by opos; columns that are not named do not change', async ({
    service,
  }) => {
    const saved = ok(
      await put(service, [
        {
          cname: 'other',
          role: 'dimension',
          label: 'Other',
          is_key: true,
          opos: 0,
          dim_group: 'g',
          in_grain: true,
        },
      ]),
    ).body;
    expect(saved[0]).toEqual({
      cname: 'other',
      label: 'Other',
      role: 'dimension',
      is_key: true,
      opos: 0,
      dim_group: 'g',
      dim_period_col: null,
      in_grain: true,
      type: 'text',
    });
    expect(saved).toHaveLength(16);
    ok(await put(service, [{ cname: 'name', role: 'dimension' }]));
    const now = (await service.api.get(`/sources/${id}/columns`)).body;
    expect(now[0]).toEqual(saved[0]);
    expect(now[1]).toMatchObject({ cname: 'name', role: 'dimension' });
    ok(await put(service, [{ cname: 'other', opos: null }]));
    expect((await service.api.get(`/sources/${id}/columns`)).body.at(-1)).toMatchObject({
      cname: 'other',
      opos: null,
      label: 'Other',
    });
    expect((await put(service, [])).body).toHaveLength(16);
  });

  it.for<[string, unknown, RegExp]>([
    ['an unknown column', [{ cname: 'nowhere', role: 'dimension' }], /"nowhere", cname/],
    ['an unknown role', [{ cname: 'n', role: 'total' }], /^Column "n", role: /],
    ['a column named twice', [{ cname: 'n' }, { cname: 'n' }], /"n", cname/],
    [
      'two value columns',
      [
        { cname: 'n', role: 'value' },
        { cname: 'amount', role: 'value' },
      ],
      /"amount", role/,
    ],
    [
      'two units columns',
      [
        { cname: 'n', role: 'units' },
        { cname: 'amount', role: 'units' },
      ],
      /"amount", role/,
    ],
    ['value on a text', [{ cname: 'name', role: 'value' }], /"name", role/],
    ['units on a boolean', [{ cname: 'ok', role: 'units' }], /"ok", role/],
    ['value on an interval', [{ cname: 'span', role: 'value' }], /"span", role/],
    ['date on a text', [{ cname: 'name', role: 'date' }], /"name", role/],
    ['date on a number', [{ cname: 'n', role: 'date' }], /"n", role/],
    ['json as a dimension', [{ cname: 'doc', role: 'dimension' }], /"doc", role/],
    ['xml as a dimension', [{ cname: 'body', role: 'dimension' }], /"body", role/],
    ['a point as a dimension', [{ cname: 'place', role: 'dimension' }], /"place", role/],
    ['a reserved name with a role', [{ cname: 'pf_id', role: 'filter' }], /"pf_id", role/],
    [
      'a reserved name as a dimension',
      [{ cname: 'pf_note', role: 'dimension' }],
      /"pf_note", role/,
    ],
    [
      'a column the calendar does not have',
      [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'week' },
      ],
      /"n", dim_period_col/,
    ],
    [
      'a column the calendar does not have, on an ignored column',
      [{ cname: 'n', dim_period_col: 'week' }],
      /"n", dim_period_col/,
    ],
    [
      'a calendar text in a number',
      [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_label' },
      ],
      /"n", dim_period_col/,
    ],
    [
      'a calendar number in a boolean',
      [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'ok', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' },
      ],
      /"ok", dim_period_col/,
    ],
    [
      'a period without a group',
      [{ cname: 'n', role: 'dimension', dim_period_col: 'cal_year' }],
      /"n", dim_group/,
    ],
    [
      'a group without a date',
      [{ cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' }],
      /"n", dim_group/,
    ],
    [
      'a group with two dates',
      [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'at', role: 'date', dim_group: 'd' },
        { cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' },
      ],
      /"n", dim_group/,
    ],
    ['a role that is no text', [{ cname: 'n', role: 5 }], /role/],
    ['is_key that is no boolean', [{ cname: 'n', is_key: 'yes' }], /is_key/],
    ['in_grain null', [{ cname: 'n', in_grain: null }], /in_grain/],
    ['opos with a fraction', [{ cname: 'n', opos: 1.5 }], /opos/],
    ['opos out of range', [{ cname: 'n', opos: 3e9 }], /opos/],
    ['an entry without a name', [{ role: 'dimension' }], /cname/],
    ['an entry that is none', [5], /0/],
    ['no array', { cname: 'n' }, /./],
  ])('refuses %s completely, naming entry and field', async ([, entries, message], { service }) => {
    const list = Array.isArray(entries) ? [{ cname: 'big', role: 'filter' }, ...entries] : entries;
    await refused(service, () => put(service, list), 400, /0/.test(message.source) ? /1/ : message);
  });

  it('allows a reserved name to be ignored', async ({ service }) => {
    await service.query(
      `CREATE TABLE public.reserved (a text, v int, ${RESERVED_NAMES.map((n) => `"${n}" int`).join(', ')})`,
    );
    const reserved = ok(await service.api.post('/sources', { schema: 'public', tname: 'reserved' }))
      .body.id;
    const answer = await service.api.put(
      `/sources/${reserved}/columns`,
      RESERVED_NAMES.map((cname) => ({ cname, role: 'ignore', label: 'ours' })),
    );
    expect(answer.status).toBe(200);
    ok(
      await service.api.put(`/sources/${reserved}/columns`, [
        { cname: 'a', role: 'dimension' },
        { cname: 'v', role: 'value' },
      ]),
    );
    ok(await service.api.post(`/sources/${reserved}/sql`));
    await service.query(`INSERT INTO public.reserved VALUES ('x', 5, 1, 2, 3, 4, 5, 6, 7)`);
    const { table } = await makePlan(service, reserved);
    expect(await service.query(`SELECT a, v, pf_iter FROM ${table}`)).toEqual([
      { a: 'x', v: 5, pf_iter: 'baseline' },
    ]);
  });

  it('accepts a calendar number in any numeric column, and everything in a text', async ({
    service,
  }) => {
    ok(
      await put(service, [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' },
        { cname: 'qty', role: 'dimension', dim_group: 'd', dim_period_col: 'fisc_month' },
        { cname: 'name', role: 'dimension', dim_group: 'd', dim_period_col: 'drange' },
        { cname: 'at', role: 'dimension', dim_group: 'd', dim_period_col: 'sdat' },
      ]),
    );
    // The date of the group cannot be removed while a dimension is derived from it.
    await refused(
      service,
      () => put(service, [{ cname: 'day', role: 'ignore' }]),
      400,
      /dim_group/,
    );
  });

  it('returns the base type of a domain, with its decimals', async ({ service }) => {
    await service.query(`
      CREATE DOMAIN public.rate AS numeric(12,3) CHECK (VALUE >= 0);
      CREATE DOMAIN public.net_rate AS public.rate NOT NULL;
      CREATE TABLE public.rated (k text, v public.net_rate, w double precision)`);
    const rated = ok(await service.api.post('/sources', { schema: 'public', tname: 'rated' })).body;
    const columns = (await service.api.get(`/sources/${rated.id}/columns`)).body;
    expect(
      columns.map(({ cname, type, base_type }: Record<string, string>) => [cname, type, base_type]),
    ).toEqual([
      ['k', 'text', undefined],
      ['v', 'public.net_rate', 'numeric(12,3)'],
      ['w', 'double precision', undefined],
    ]);
    await service.query('ALTER TABLE public.rated DROP COLUMN v');
    expect((await service.api.get(`/sources/${rated.id}/columns`)).body[1].type).toBeNull();
  });
});
