import { expect } from 'vitest';
import { it } from '../support/api';
import { makePlan, makeSource } from './contract/orders';

let source: string;
let version: string;
let baseline: number;

it.beforeAll(async ({ service }) => {
  await service.query(`
    CREATE TABLE public.trade (
      day date, "Sales.Region" text, channel text, note json, amount numeric(10,2), pieces integer,
      weight double precision
    );
    INSERT INTO public.trade VALUES
      ('2026-01-01', 'North', 'web', '{}', 10, 1, 1),
      ('2026-02-01', 'South', 'web', '{}', 20, 2, 'NaN')`);
  const id = await makeSource(service, 'trade', [
    { cname: 'day', role: 'date' },
    { cname: 'Sales.Region', role: 'dimension', is_key: true },
    { cname: 'channel', role: 'dimension' },
    { cname: 'amount', role: 'value' },
    { cname: 'pieces', role: 'units' },
  ]);
  source = `/sources/${id}`;
  ({ path: version, baseline } = await makePlan(service, id));
});

const by = { pf_user: 'ann' };
type Case = [
  what: string,
  method: 'get' | 'post' | 'put' | 'patch' | 'del',
  path: () => string,
  body: unknown,
  status: number,
  blame: { field?: string; column?: string },
];
const operation = (
  name: string,
  body: object,
  status: number,
  blame: { field?: string; column?: string },
): Case => [
  `${name} ${JSON.stringify(body)}`,
  'post',
  () => `${version}/${name}`,
  { ...by, ...body },
  status,
  blame,
];
const columns = (entries: unknown, blame: { field?: string; column?: string }): Case => [
  `columns ${JSON.stringify(entries)}`,
  'put',
  () => `${source}/columns`,
  entries,
  400,
  blame,
];
const region = { field: 'slice.Sales.Region', column: 'Sales.Region' };
const half = { slice: { 'Sales.Region': 'North' } };

const CASES: Case[] = [
  // Refused by the schemas.
  operation('scale', { slice: {}, pct: '5' }, 400, { field: 'pct' }),
  operation('scale', { slice: { 'Sales.Region': {} }, pct: 5 }, 400, region),
  operation('scale', { slice: [], pct: 5 }, 400, { field: 'slice' }),
  ['no user', 'post', () => `${version}/scale`, { slice: {}, pct: 5 }, 400, { field: 'pf_user' }],
  operation('baseline', { filters: [[{ cname: 'channel', op: '~', value: 'x' }]] }, 400, {
    field: 'filters.0.0.op',
    column: 'channel',
  }),
  columns([{ cname: 'day' }, { cname: 'channel', role: 'region' }], {
    field: '1.role',
    column: 'channel',
  }),
  columns([{ cname: 5 }], { field: '0.cname' }),
  ['a list for an object', 'post', () => `${version}/scale`, [], 400, {}],
  // Column metadata.
  columns([{ cname: 'nowhere' }], { field: '0.cname', column: 'nowhere' }),
  columns([{ cname: 'day' }, { cname: 'day' }], { field: '1.cname', column: 'day' }),
  columns([{ cname: 'day' }, { cname: 'channel', role: 'value' }], {
    field: '1.role',
    column: 'channel',
  }),
  columns([{ cname: 'note', role: 'dimension' }], { field: '0.role', column: 'note' }),
  columns([{ cname: 'channel', dim_period_col: 'cal_week' }], {
    field: '0.dim_period_col',
    column: 'channel',
  }),
  columns([{ cname: 'channel', dim_period_col: 'cal_label' }], {
    field: '0.dim_group',
    column: 'channel',
  }),
  // Slices, sets and amounts.
  operation('scale', { slice: { day: 'May' }, pct: 5 }, 400, { field: 'slice.day', column: 'day' }),
  operation('scale', { slice: { channel: 'web' }, pct: 5 }, 400, {
    field: 'slice.channel',
    column: 'channel',
  }),
  operation('scale', { slice: { 'Sales.Region': 'West' }, pct: 5 }, 422, { field: 'slice' }),
  operation('scale', { ...half, pct: 0 }, 422, { field: 'pct' }),
  operation('scale', { ...half, pct: 5, value_incr: 5 }, 400, {}),
  operation('scale', { ...half, value_incr: 0.001 }, 422, {
    field: 'value_incr',
    column: 'amount',
  }),
  operation('scale', { ...half, units_incr: 0 }, 422, { field: 'units_incr' }),
  operation('recode', { ...half, set: {} }, 422, { field: 'set' }),
  operation('recode', { ...half, set: { amount: 5 } }, 400, {
    field: 'set.amount',
    column: 'amount',
  }),
  operation('clone', { ...half, set: { day: '2026-02-30' } }, 400, {
    field: 'set.day',
    column: 'day',
  }),
  operation('clone', { ...half, set: { channel: 'a\u001fb' } }, 422, {
    field: 'set.channel',
    column: 'channel',
  }),
  // Loads.
  operation('baseline', { where_clause: 'pg_sleep(1) IS NULL' }, 400, { field: 'where_clause' }),
  operation('reference', { raw_where: 'channel = 1' }, 400, { field: 'raw_where' }),
  operation('baseline', { raw_where: 'channel = ' }, 400, { field: 'raw_where' }),
  operation('baseline', { filters: [[]] }, 400, { field: 'filters.0' }),
  operation(
    'baseline',
    { filters: [[{ cname: 'channel', op: 'is null' }], [{ cname: 'day', op: '=', value: 'May' }]] },
    400,
    { field: 'filters.1.0', column: 'day' },
  ),
  operation('baseline', { filters: [[{ cname: 'channel', op: '=', value: 'x' }]] }, 422, {
    field: 'filters',
  }),
  operation('baseline', { date_offset: 'a while' }, 400, { field: 'date_offset' }),
  operation('baseline', { raw_where: 'TRUE', date_offset: '9000000 years' }, 400, {}),
  operation('baseline/preview', { raw_where: '1 / 0 = 1' }, 400, { field: 'raw_where' }),
  operation('baseline', { replay: true }, 501, { field: 'replay' }),
  [
    'an edit',
    'put',
    () => `${version}/baseline/${baseline}`,
    { ...by, where_clause: 'nowhere = 1' },
    400,
    { field: 'where_clause' },
  ],
  // Names and parameters.
  ['a name taken', 'post', () => `${source}/versions`, { name: 'Taken' }, 409, { field: 'name' }],
  ['rename', 'patch', () => version, { name: 'Taken' }, 409, { field: 'name' }],
  [
    'an iteration',
    'patch',
    () => version,
    { exclude_iters: ['scale', 'nothing'] },
    400,
    { field: 'exclude_iters.1' },
  ],
  ['an id', 'get', () => '/versions/x', undefined, 400, { field: 'id' }],
  [
    'a limit',
    'get',
    () => `${source}/values?cname=day&limit=0`,
    undefined,
    400,
    { field: 'limit' },
  ],
  [
    'values of no column',
    'get',
    () => `${source}/values?cname=nowhere`,
    undefined,
    404,
    { field: 'cname', column: 'nowhere' },
  ],
  [
    'a grain',
    'post',
    () => `${source}/grain-estimate`,
    { columns: ['day', 'note'] },
    400,
    { field: 'columns.1', column: 'note' },
  ],
  [
    'a grain of nothing',
    'post',
    () => `${source}/grain-estimate`,
    { columns: [] },
    400,
    { field: 'columns' },
  ],
];

it.for(CASES)('%s', async ([, method, path, body, status, blame], { service }) => {
  await service.api.post(`${source}/versions`, { name: 'Taken' });
  const answer = await service.api[method](path(), body as never);
  expect([answer.status, answer.body]).toEqual([status, { error: expect.any(String), ...blame }]);
});

it('names the column whose values a load must not contain', async ({ service }) => {
  await service.query('CREATE TABLE public.scales AS SELECT channel, weight FROM public.trade');
  const scales = await makeSource(service, 'scales', [
    { cname: 'channel', role: 'dimension' },
    { cname: 'weight', role: 'value' },
  ]);
  const { id: versionId } = (
    await service.api.post(`/sources/${scales}/versions`, { name: 'Plan' })
  ).body;
  const answer = await service.api.post(`/versions/${versionId}/baseline`, by);
  expect([answer.status, answer.body]).toEqual([
    422,
    { error: '"weight" holds NaN or infinity; nothing was loaded', column: 'weight' },
  ]);
});

it('has only the sentence for a closed version', async ({ service }) => {
  await service.api.post(`${version}/close`, by);
  const answer = await service.api.post(`${version}/scale`, { ...by, ...half, pct: 5 });
  expect([answer.status, answer.body]).toEqual([403, { error: 'Version is closed' }]);
  await service.api.post(`${version}/open`, by);
});

it('names the column that a generation would drop with its data', async ({ service }) => {
  await service.api.put(`${source}/columns`, [{ cname: 'channel', role: 'ignore' }]);
  const answer = await service.api.post(`${source}/sql`);
  expect([answer.status, answer.body]).toEqual([
    422,
    { error: expect.any(String), column: 'channel' },
  ]);
});
