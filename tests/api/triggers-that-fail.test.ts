// Tests docs/contract/09-errors-limits-guards.md#triggers-that-refuse-rows.
import { describe, expect, onTestFinished } from 'vitest';
import { it } from '../support/api';
import { bytes, plan, type Planned } from '../support/planned';
import type { Service } from '../support/service';
import { REGIONAL } from '../support/territories';

const ROWS = [
  { Day: '2027-01-31', Region: 'A', Product: 'x', Sales: 100 },
  { Day: '2027-02-28', Region: 'B', Product: 'x', Sales: 30 },
];
const user = { pf_user: 'ann' };
const REFUSED =
  'Nothing was changed, because a trigger of the forecast table (public.audit_plan()) refused the rows: ';

/** A plan with an entry of a scale, and the write that each test tries. */
const WRITES: Record<string, (service: Service, made: Planned, ids: number[]) => Promise<unknown>> =
  {
    'a load': ({ api }, { path }) => api.post(`${path}/baseline`, user),
    'an edit of a load': ({ api }, { path }, [load]) => api.put(`${path}/baseline/${load}`, user),
    'a scale': ({ api }, { path }) => api.post(`${path}/scale`, { ...user, slice: {}, pct: 10 }),
    'a preview': ({ api }, { path }) =>
      api.post(`${path}/scale/preview`, { ...user, slice: {}, pct: 10 }),
    'an undo': ({ api }, _, [load]) => api.del(`/log/${load}`),
    'a clear': ({ api }, { path }) => api.del(`${path}/baseline`),
    'a copy': ({ api }, { path }) => api.post(`${path}/copy`, { ...user, name: 'Copy' }),
  };

const CAUSES = {
  'raises an error': ["RAISE EXCEPTION 'boom'", 'boom'],
  'divides by zero': ['PERFORM 1 / 0', 'division by zero'],
  'names a column that is gone': ['PERFORM NEW.gone', 'record "new" has no field "gone"'],
} as const;

/** Gives new forecast tables a trigger, as the auditor of a database does. */
const AUDIT_NEW_TABLES = `
  CREATE FUNCTION public.audit_tables() RETURNS event_trigger LANGUAGE plpgsql AS $$
  DECLARE made record;
  BEGIN
    FOR made IN SELECT * FROM pg_event_trigger_ddl_commands()
      WHERE object_type = 'table' AND object_identity LIKE 'pf.%fc\\_%' LOOP
      EXECUTE format('CREATE TRIGGER audit AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION public.audit_plan()',
        made.object_identity);
    END LOOP;
  END $$;
  CREATE EVENT TRIGGER audit_tables ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
    EXECUTE FUNCTION public.audit_tables()`;

async function auditNewTables({ query }: Service) {
  await query(AUDIT_NEW_TABLES);
  onTestFinished(
    async () =>
      void (await query('DROP EVENT TRIGGER audit_tables; DROP FUNCTION public.audit_tables()')),
  );
}

describe.for(Object.entries(CAUSES))('a trigger that %s', ([, [body, reason]]) => {
  it.for(Object.keys(WRITES))('refuses %s with its own sentence', async (name, { service }) => {
    const made = await plan(service, REGIONAL, ROWS);
    const loaded = await service.api.post(`${made.path}/baseline`, user);
    const event = /undo|clear/.test(name) ? 'DELETE' : 'INSERT';
    await service.query(
      `CREATE OR REPLACE FUNCTION public.audit_plan() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN ${event === 'DELETE' ? body.replace('NEW', 'OLD') : body}; RETURN NULL; END $$;
       CREATE TRIGGER audit AFTER ${event} ON ${made.table} FOR EACH ROW EXECUTE FUNCTION public.audit_plan()`,
    );
    if (name === 'a copy') await auditNewTables(service);
    const before = await bytes(service, made);
    const answer = await WRITES[name]!(service, made, [loaded.body.logid]);
    const wanted = event === 'DELETE' ? reason.replace('"new"', '"old"') : reason;
    expect(answer).toMatchObject({ status: 422, body: { error: REFUSED + wanted } });
    expect(await bytes(service, made)).toEqual(before);
  });

  it('refuses the entry of a replay, or is the reason why it is left out', async ({ service }) => {
    const { path } = await plan(service, REGIONAL, ROWS);
    await service.api.post(`${path}/baseline`, user);
    await service.api.post(`${path}/scale`, { ...user, slice: {}, pct: 10 });
    await service.query(`CREATE OR REPLACE FUNCTION public.audit_plan() RETURNS trigger
      LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.pf_iter = 'scale' THEN ${body}; END IF; RETURN NULL; END $$`);
    await auditNewTables(service);
    const replay = (on_failure: string) =>
      service.api.post(`${path}/replay`, { ...user, name: 'Replay', on_failure });
    expect(await replay('refuse')).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining(`cannot be replayed: ${REFUSED}${reason}`) },
    });
    expect((await replay('skip')).body.entries).toMatchObject([
      { operation: 'baseline', reason: null },
      { operation: 'scale', to: null, reason: REFUSED + reason },
    ]);
  });

  it.for(['refuse', 'skip'])(
    'is the reason why a load is not replayed: %s',
    async (on_failure, { service }) => {
      const { path } = await plan(service, REGIONAL, ROWS);
      await service.api.post(`${path}/baseline`, user);
      await service.query(`CREATE OR REPLACE FUNCTION public.audit_plan() RETURNS trigger
      LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NULL; END $$`);
      await auditNewTables(service);
      const answer = await service.api.post(`${path}/replay`, {
        ...user,
        name: 'Replay',
        on_failure,
      });
      const { error, entries } = answer.body;
      expect(error ?? entries[0].reason).toContain(REFUSED + reason);
    },
  );
});
