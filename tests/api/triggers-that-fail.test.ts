// Tests docs/contract/09-errors-limits-guards.md#triggers-that-refuse-rows.
import { describe, expect } from 'vitest';
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
  };

const CAUSES = {
  'raises an error': ["RAISE EXCEPTION 'boom'", 'boom'],
  'divides by zero': ['PERFORM 1 / 0', 'division by zero'],
  'names a column that is gone': ['PERFORM NEW.gone', 'record "new" has no field "gone"'],
} as const;

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
    const before = await bytes(service, made);
    const answer = await WRITES[name]!(service, made, [loaded.body.logid]);
    const wanted = event === 'DELETE' ? reason.replace('"new"', '"old"') : reason;
    expect(answer).toMatchObject({ status: 422, body: { error: REFUSED + wanted } });
    expect(await bytes(service, made)).toEqual(before);
  });
});
