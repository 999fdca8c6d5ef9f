// Tests docs/contract/10-authentication-and-limits.md.
import { describe, expect } from 'vitest';
import { decode, it, makePlan, makeVersion, ok, refused } from './orders';

describe('Authentication', () => {
  it('uses the user in the body of each write, and records it on the entry', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const slice = { slice: { region: 'North' } };
    ok(await service.api.post(`${path}/reference`, { pf_user: 'Björn Ö.' }));
    ok(await service.api.post(`${path}/scale`, { ...slice, pct: 1, pf_user: 'cat' }));
    ok(
      await service.api.post(`${path}/recode`, { ...slice, set: { region: 'x' }, pf_user: 'dan' }),
    );
    ok(await service.api.post(`${path}/clone`, { slice: {}, set: {}, pf_user: `o'Hara` }));
    const { entries } = (await service.api.get(`${path}/log`)).body;
    expect(
      entries.map((e: { operation: string; pf_user: string }) => `${e.operation} ${e.pf_user}`),
    ).toEqual([`clone o'Hara`, 'recode dan', 'scale cat', 'reference Björn Ö.', 'baseline ann']);
  });

  it('requires no credentials and sets no cookie', async ({ service }) => {
    for (const target of ['/sources', '/health', '/nothing']) {
      const { headers, status } = await service.api.get(target);
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('www-authenticate')).toBeNull();
      expect([200, 404]).toContain(status);
    }
  });
});

describe('Limits', () => {
  it('returns one record batch for any number of rows', async ({ service, sourceId }) => {
    const path = `/versions/${await makeVersion(service, sourceId)}`;
    await service.query(
      `INSERT INTO public.orders SELECT 1000 + i, '2026-01-01'::date + i % 365, 1, 'R' || i % 50, 'C' || i, 'x', 'k', i / 100.0, i % 30000
       FROM generate_series(1, 60000) AS i`,
    );
    try {
      ok(await service.api.post(`${path}/baseline`, { pf_user: 'ann' }));
      const answer = await service.api.get(`${path}/data`);
      expect(answer.headers.get('x-row-count')).toBe('60012');
      const { batches, rows } = decode(answer.bytes);
      expect([batches, rows.length]).toEqual([1, 60012]);
      expect(new Set(rows.map((r) => r['sub-category'])).size).toBe(60003);
    } finally {
      await service.query('DELETE FROM public.orders WHERE id > 1000');
    }
  });
});

describe('SQL from clients', () => {
  it.for([
    [`region = 'North' AND amount > 60`, 1],
    [`"Order Date" >= date '2026-04-01' OR "sub-category" LIKE 'Ch%'`, 9],
    [`date_trunc('month', "Order Date") = '2026-02-01'`, 2],
    [`lower(trim(region)) IN ('north', 'south') AND NOT "select" = 'y'`, 3],
    [`"Order Date" < current_date - interval '100 years' OR "Order Date" IS NULL`, 1],
    [`coalesce(region, '') = ''`, 2],
    [`extract(month FROM "Order Date") BETWEEN 1 AND 3`, 5],
    [`to_char("Order Date", 'YYYY-MM') = '2026-05'`, 2],
    [`channel = 'web' AND shipped IS NULL`, 6],
  ] as const)('%s', async ([text, count], { service, sourceId }) => {
    const path = `/versions/${await makeVersion(service, sourceId)}`;
    for (const field of ['where_clause', 'raw_where']) {
      const answer = await service.api.post(`${path}/baseline`, { [field]: text, pf_user: 'ann' });
      expect([answer.status, answer.body.row_count, answer.body.error]).toEqual([
        200,
        count,
        undefined,
      ]);
    }
  });

  it('refuses everything else, and names it', async ({ service, sourceId }) => {
    const path = `/versions/${await makeVersion(service, sourceId)}`;
    for (const [text, message] of [
      [`region = 'North'; DELETE FROM pf.log`, /./],
      [`region = 'North' -- all`, /comment/],
      [`region = 'North' /* all */`, /comment/],
      [`region IN (SELECT tname FROM pf.source)`, /SELECT|sub-select/i],
      [`secret = 's'`, /secret/],
      [`nowhere = 1`, /nowhere/],
      [`pg_sleep(5) IS NULL`, /pg_sleep/],
      [`pf.source.id = 1`, /./],
      [`TRUE) OR (TRUE`, /./],
      [`region = 'North' GROUP BY 1`, /./],
      [' ', /./],
    ] as const) {
      for (const field of ['where_clause', 'raw_where']) {
        const said = await refused(
          service,
          () => service.api.post(`${path}/baseline`, { [field]: text, pf_user: 'ann' }),
          400,
          message,
        );
        expect(said).toContain(field);
      }
      // All fields are stored, so all are checked, including those that would not run.
      await refused(
        service,
        () =>
          service.api.post(`${path}/baseline`, {
            where_clause: 'TRUE',
            raw_where: text,
            pf_user: 'ann',
          }),
        400,
      );
    }
  });
});

describe('Tables that can be distributed', () => {
  it('have no foreign keys or temporary tables, one key, pf_id, and one trigger for changes by SQL', async ({
    service,
    sourceId,
  }) => {
    const { table } = await makePlan(service, sourceId);
    const [found] = await service.query(
      // Citus adds an internal trigger to distributed tables, against TRUNCATE.
      `SELECT (SELECT string_agg(tgname, ' ') FROM pg_trigger WHERE tgrelid = '${table}'::regclass AND NOT tgisinternal) AS triggers,
         (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND (conrelid = '${table}'::regclass OR confrelid = '${table}'::regclass)) AS foreign_keys,
         (SELECT string_agg(pg_get_constraintdef(oid), ' ') FROM pg_constraint WHERE contype IN ('p', 'u') AND conrelid = '${table}'::regclass) AS keys`,
    );
    // Only local tables have this trigger (tests/citus): the operations do not need it.
    expect(found).toEqual({
      triggers: 'pf_outside_change',
      foreign_keys: 0,
      keys: 'PRIMARY KEY (pf_id)',
    });
    for (const { sql } of (await service.api.get(`/sources/${sourceId}/sql`)).body) {
      expect(sql).not.toMatch(/\bTEMP|\bUPDATE\b|\bMERGE\b|\bFOR (UPDATE|SHARE)\b|;/);
    }
  });
});
