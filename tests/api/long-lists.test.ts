import { expect } from 'vitest';
import { it as shared } from '../support/api';
import { plan, type Planned } from '../support/planned';
import { until } from '../support/race';
import type { Service } from '../support/service';

const ROWS = 2000;
/** Lists that the contract allows, and longer ones (docs/contract/09-errors-limits-guards.md#lists). */
const MOST = 200;
const MORE = 3000;

const it = shared.extend('env', { scope: 'file' }, {});

async function version(service: Service): Promise<Planned> {
  const planned = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Customer', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    Array.from({ length: ROWS }, (_, i) => ({
      Region: `R${i % 50}`,
      Customer: `C${i}`,
      Sales: i + 1,
    })),
  );
  expect((await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  return planned;
}

const scale = (holds: number) => ({
  slice: {},
  pct: 10,
  pf_user: 'ann',
  hold: Array.from({ length: holds }, (_, i) => ({ Region: `R${i % 50}`, Customer: `C${i}` })),
});

/** Statements of the service that PostgreSQL still runs. */
const running = ({ query }: Service) =>
  query<{ query: string }>(
    `SELECT query FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'forecast-pivot' AND state <> 'idle'`,
  );

it('lists that are too long are refused, and no statement is left behind', async ({ service }) => {
  const { path } = await version(service);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => service.api.post(`${path}/scale/preview`, scale(MORE))),
  );
  for (const { status, body } of answers) {
    expect([status, body]).toEqual([400, { error: 'hold: must be at most 200', field: 'hold' }]);
  }
  const values = Array.from({ length: 50_001 }, (_, i) => `C${i}`);
  const condition = { cname: 'Customer', op: 'in', value: ['C1'] };
  const cases: [string, object, string][] = [
    ['/slice', { slice: {}, hold: Array(MOST + 1).fill({}) }, 'hold: must be at most 200'],
    ['/slice', { slice: { Customer: values } }, 'slice.Customer: must be at most 50000'],
    [
      '/baseline/preview',
      { filters: Array(MOST + 1).fill([condition]) },
      'filters: must be at most 200',
    ],
    [
      '/baseline/preview',
      { filters: [Array(150).fill(condition), Array(51).fill(condition)] },
      'filters: must have at most 200 conditions in all groups',
    ],
    [
      '/baseline/preview',
      { filters: [[{ ...condition, value: values }]] },
      'filters: "Customer" must have at most 50000 values',
    ],
  ];
  for (const [at, body, error] of cases) {
    const answer = await service.api.post(path + at, body);
    expect([at, answer.status, answer.body.error]).toEqual([at, 400, error]);
  }
  expect(await running(service)).toEqual([]);
  const { paths, components } = (await service.api.get('/openapi.json')).body;
  const { $ref } =
    paths['/api/versions/{id}/slice'].post.requestBody.content['application/json'].schema;
  const { hold } = components.schemas[$ref.split('/').at(-1)].properties;
  expect(JSON.stringify(hold)).toContain('"maxItems":200');
});

it('the longest list of held slices is answered even if PostgreSQL compiles every statement', async ({
  service,
}) => {
  const { path, table } = await version(service);
  const [{ database = '' } = {}] = await service.query<{ database: string }>(
    'SELECT current_database() AS database',
  );
  for (const name of ['jit_above_cost', 'jit_inline_above_cost', 'jit_optimize_above_cost']) {
    await service.query(`ALTER DATABASE "${database}" SET ${name} = 0`);
  }
  await service.query(`ALTER DATABASE "${database}" SET jit = on`);
  await service.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'forecast-pivot'`,
  );
  // The first requests may still meet a connection that has ended.
  const preview = (holds: number) => service.api.post(`${path}/scale/preview`, scale(holds));
  await until(async () => (await preview(1)).status === 200);
  const answers = await Promise.all(Array.from({ length: 6 }, () => preview(MOST)));
  for (const { status, body } of answers) {
    expect([status, body.totals.before.row_count, body.rows.length]).toEqual([
      200,
      ROWS,
      ROWS - MOST,
    ]);
  }
  expect(await running(service)).toEqual([]);

  await service.query(`
    CREATE FUNCTION public.tell_jit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'jit is %', current_setting('jit'); END $$;
    CREATE TRIGGER tell_jit BEFORE INSERT ON ${table}
      FOR EACH ROW EXECUTE FUNCTION public.tell_jit()`);
  const refused = await service.api.post(`${path}/scale`, scale(1));
  expect([refused.status, refused.body.error]).toEqual([422, expect.stringMatching(/jit is off$/)]);
});
