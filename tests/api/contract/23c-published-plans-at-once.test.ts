// Tests docs/contract/23-names-and-published-plans.md#published-plans: requests at the same time.
import { expect } from 'vitest';
import { LOCAL_VERSIONS } from '../../support/cluster';
import type { Answer } from '../../support/http';
import { hold, holdVersion, untilWaiting } from '../../support/race';
import type { Service } from '../../support/service';
import { it as base, makePlan, makeSource, ok, ORDER_COLUMNS, ORDERS, refused } from './orders';

const it = base.extend('env', { scope: 'file' }, LOCAL_VERSIONS);

const user = { pf_user: 'ann' };

/** A source with a plan of two versions with other totals; a view follows the name `budget`, the first version's. */
async function following(service: Service, tname: string) {
  const { api, query } = service;
  await query(ORDERS.replaceAll('public.orders', `public.${tname}`));
  const sourceId = await makeSource(service, tname, ORDER_COLUMNS);
  const [one, two] = [await makePlan(service, sourceId), await makePlan(service, sourceId)];
  const scale = { ...user, slice: { region: 'North' }, pct: 100 };
  for (const { path } of [one, two, two]) ok(await api.post(`${path}/scale`, scale));
  const moveTo = (version_id: number) =>
    api.put(`/sources/${sourceId}/current`, { ...user, name: 'budget', version_id });
  ok(await moveTo(one.versionId));
  const asked = { ...user, name: tname, current: 'budget' };
  const { id, views } = ok(await api.put(`/versions/${one.versionId}/published`, asked)).body;
  return {
    ...{ sourceId, one, two, moveTo },
    plan: views.plan as string,
    exclude: () => api.patch(one.path, { exclude_iters: ['scale'] }),
    withdraw: () => api.del(`/published/${id}`),
    /** Sends requests one after the other while a reader holds the view. @returns their answers */
    whileRead: async (...requests: (() => Promise<Answer>)[]): Promise<Answer[]> => {
      const reader = await hold(service, `SELECT FROM ${views.plan}`);
      const answers: Promise<Answer>[] = [];
      for (const request of requests) {
        answers.push(request());
        await untilWaiting(service, answers.length);
      }
      await reader.commit();
      return Promise.all(answers);
    },
    amount: async (): Promise<number> =>
      (await query(`SELECT sum(amount)::float8 AS amount FROM ${views.plan}`))[0].amount,
    planTotal: async (path: string): Promise<number> =>
      ok(await api.get(`${path}/totals`)).body.plan.value_total,
  };
}

it('shows the version of the name, though the former one gets other origins', async ({
  service,
}) => {
  const { one, two, ...plan } = await following(service, 'moved');
  const answers = await plan.whileRead(() => plan.moveTo(two.versionId), plan.exclude);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await plan.amount()).toBe(await plan.planTotal(two.path));
  expect(await plan.amount()).not.toBe(await plan.planTotal(one.path));
});

it.for(['labels first', 'origins first'])(
  'has both new labels and new origins, %s',
  async (order, { service }) => {
    const { sourceId, one, ...plan } = await following(service, order.replace(' ', '_'));
    const before = await plan.amount();
    const label = () =>
      service.api.put(`/sources/${sourceId}/columns`, [{ cname: 'region', label: 'Sales region' }]);
    const answers = await (order === 'labels first'
      ? plan.whileRead(label, plan.exclude)
      : plan.whileRead(plan.exclude, label));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await plan.amount()).toBe(await plan.planTotal(one.path));
    expect(await plan.amount()).not.toBe(before);
    const [{ comment }] = await service.query(
      `SELECT col_description(attrelid, attnum) AS comment FROM pg_attribute
     WHERE attrelid = $1::regclass AND attname = 'region'`,
      [plan.plan],
    );
    expect(comment).toBe('Sales region');
  },
);

it('is gone after its withdrawal, though its version gets other origins', async ({ service }) => {
  const plan = await following(service, 'withdrawn');
  const answers = await plan.whileRead(plan.withdraw, plan.exclude);
  expect(answers.map(({ status }) => status)).toEqual([204, 200]);
  await expect(plan.amount()).rejects.toThrow('does not exist');
});

it('is gone after its withdrawal, though its name moves', async ({ service }) => {
  const { two, ...plan } = await following(service, 'withdrawn_and_moved');
  const answers = await plan.whileRead(plan.withdraw, () => plan.moveTo(two.versionId));
  expect(answers.map(({ status }) => status)).toEqual([204, 200]);
  await expect(plan.amount()).rejects.toThrow('does not exist');
});

it('shows the version of the name, though a first plan was published while the move waited', async ({
  service,
}) => {
  const { one, two, ...plan } = await following(service, 'first');
  expect((await plan.withdraw()).status).toBe(204);
  // The move waits for its version, and has seen no published plan.
  const write = await holdVersion(service, two.versionId);
  const moving = plan.moveTo(two.versionId);
  await untilWaiting(service, 1);
  const asked = { ...user, name: 'first', current: 'budget' };
  ok(await service.api.put(`/versions/${one.versionId}/published`, asked));
  const goOn = () => write.commit().then(() => moving);
  const answers = await plan.whileRead(goOn, plan.exclude);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await plan.amount()).toBe(await plan.planTotal(two.path));
});

it.for<[string, object]>([
  ['replaced', { cname: 'region', label: 'Sales region' }],
  ['made again', { cname: 'channel', role: 'dimension' }],
])(
  'keeps what an administrator sets on a view while it waits to be %s',
  async ([, change], { service }) => {
    const { sourceId, plan } = await following(service, `set_${'label' in change}`);
    ok(await service.api.put(`/sources/${sourceId}/columns`, [change]));
    const administrator = await hold(
      service,
      `ALTER VIEW ${plan} SET (security_invoker = on)`,
      `COMMENT ON VIEW ${plan} IS 'Ask Ann'`,
      `GRANT SELECT ON ${plan} TO PUBLIC`,
    );
    const generation = service.api.post(`/sources/${sourceId}/sql`);
    await untilWaiting(service, 1);
    await administrator.commit();
    ok(await generation);
    const [state] = await service.query(
      `SELECT reloptions, obj_description(oid, 'pg_class') AS comment, relacl::text LIKE '%,=r/%' AS granted
       FROM pg_class WHERE oid = $1::regclass`,
      [plan],
    );
    expect(state).toEqual({
      reloptions: ['security_invoker=on'],
      comment: 'Ask Ann',
      granted: true,
    });
  },
);

it('takes a view back that an administrator gave to another role', async ({ service }) => {
  const { sourceId, plan } = await following(service, 'given');
  const role = `owner_of_${service.database.database}`;
  await service.query(`CREATE ROLE "${role}"; GRANT CREATE ON SCHEMA pf_plans TO "${role}"`);
  const administrator = await hold(service, `ALTER VIEW ${plan} OWNER TO "${role}"`);
  const label = { cname: 'region', label: 'Sales region' };
  const saved = service.api.put(`/sources/${sourceId}/columns`, [label]);
  await untilWaiting(service, 1);
  await administrator.commit();
  ok(await saved);
  const owners = await service.query(
    `SELECT relowner = current_user::regrole AS own FROM pg_class WHERE oid = $1::regclass`,
    [plan],
  );
  expect(owners).toEqual([{ own: true }]);
  await service.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
});

it('is not replaced by the changes of another that is published at the same time', async ({
  service,
}) => {
  const [one, other] = [await following(service, 'one'), await following(service, 'other')];
  const publish = (versionId: number, name: string) =>
    service.api.put(`/versions/${versionId}/published`, { ...user, name });
  // Both requests wait when they write to `pf.published`.
  const backup = await hold(service, 'LOCK TABLE pf.published IN SHARE MODE');
  const first = publish(one.two.versionId, 'Budget');
  await untilWaiting(service, 1);
  const second = publish(other.two.versionId, 'Budget changes');
  await untilWaiting(service, 2);
  await backup.commit();
  ok(await first);
  await refused(
    service,
    () => second,
    409,
    'There is a view "Budget changes" or "Budget changes changes" already; choose another name',
  );
  expect(await service.query('SELECT pf_logid FROM pf_plans."Budget changes"')).not.toHaveLength(0);
});
