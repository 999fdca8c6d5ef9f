// Conversions of lookups: two currencies at four rates, compared to SQL at every level, and typed into.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountField } from '../../src/lib/contract/measures';
import type { SlicePreview } from '../../src/lib/contract/previews';
import { roundedEdit } from '../../src/lib/plan/amounts/scale-draft';
import { editOfMeasure } from '../../src/lib/plan/amounts/typed-conversion';
import type { Answer, Api } from '../support/http';
import { plan, type Planned, type SourceRow, type TableColumn } from '../support/planned';
import { startService, type Service } from '../support/service';
import { decode, ok } from './contract/orders';

const COLUMNS: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date' },
  { name: 'Country', type: 'text', role: 'dimension' },
  { name: 'Product "P"', type: 'text', role: 'dimension' },
  { name: 'Currency', type: 'text', role: 'dimension' },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
  { name: 'Units', type: 'integer', role: 'units' },
  { name: 'Cost', type: 'double precision', role: 'measure' },
];
const CURRENCIES = { US: 'USD', CH: 'CHF', DE: 'EUR' } as const;
const ROWS: SourceRow[] = Object.entries(CURRENCIES).flatMap(([Country, Currency], c) =>
  ['2027-01-15', '2027-02-28', '2027-03-01'].flatMap((Day, d) =>
    ['a', "it's"].map((product, p) => ({
      ...{ Day, Country, Currency, 'Product "P"': product },
      ...{
        Sales: 1000 * (c + 1) + 100 * d + 10.37 * p,
        Units: 10 * (d + 1) + p,
        Cost: 700.5 * (c + 1),
      },
    })),
  ),
);
/** Rows whose currency no table knows. */
const UNKNOWN: SourceRow[] = [
  {
    Day: '2027-01-15',
    Country: 'UK',
    'Product "P"': 'a',
    Currency: 'GBP',
    Sales: 500,
    Units: 5,
    Cost: 1,
  },
  {
    Day: '2027-02-15',
    Country: null,
    'Product "P"': 'a',
    Currency: null,
    Sales: 70,
    Units: 1,
    Cost: null,
  },
  { Day: null, Country: 'US', 'Product "P"': 'a', Currency: 'USD', Sales: 8, Units: 1, Cost: 2 },
];

let service: Service;
let api: Api;
let version: Planned;
const by = { pf_user: 'eve' };

const conversion = (label: string, rate: string, measure = 'Sales') => ({ label, measure, rate });
const RATES = {
  ...{ name: 'Rates', schema: 'public', tname: 'rates' },
  keys: [{ column: 'Currency', from: 'currency' }],
  range: { column: 'Day', from: 'first', through: 'last' },
  conversions: [
    conversion('EUR, plan rate', 'plan'),
    conversion("EUR, last year's rate", 'last year'),
    conversion('EUR, actual rate', 'actual'),
    conversion('Cost in EUR', 'plan', 'Cost'),
  ],
  ...by,
};
const CONSTANT = {
  ...{ name: 'Constant rates', schema: 'public', tname: 'constant_rates' },
  keys: [{ column: 'Currency', from: 'currency' }],
  attributes: [{ cname: 'zone', label: 'Zone' }],
  conversions: [conversion('EUR, constant rate', 'rate')],
  ...by,
};
/** The amount and the rate of each conversion in the tables. */
const IN_SQL: Record<string, [measure: string, rate: string]> = {
  'EUR, plan rate': ['"Sales"', 'r.plan'],
  "EUR, last year's rate": ['"Sales"', 'r."last year"'],
  'EUR, actual rate': ['"Sales"', 'r.actual'],
  'Cost in EUR': ['"Cost"', 'r.plan'],
  'EUR, constant rate': ['"Sales"', 'k.rate'],
};

beforeAll(async () => {
  service = await startService();
  api = service.api;
  await service.query(`
    CREATE TABLE public.rates (currency text, first date, last date, plan numeric(10,6), "last year" integer, actual double precision);
    INSERT INTO public.rates
      SELECT c, m, (m + interval '1 month')::date - 1, plan * (1 + extract(month FROM m) / 100), 2,
        CASE WHEN m < '2027-03-01' THEN plan * 1.01 END
      FROM (VALUES ('USD', 0.912345), ('CHF', 1.05), ('EUR', 1)) AS c (c, plan),
        (VALUES (date '2027-01-01'), (date '2027-02-01'), (date '2027-03-01')) AS m (m);
    CREATE TABLE public.constant_rates (currency text PRIMARY KEY, zone text, rate numeric);
    INSERT INTO public.constant_rates VALUES ('USD', 'dollar', 0.9), ('CHF', 'franc', 1.1), ('EUR', 'euro', 1), ('GBP', 'pound', 'NaN')`);
  version = await plan(service, COLUMNS, [...ROWS, ...UNKNOWN]);
  for (const lookup of [RATES, CONSTANT])
    ok(await api.post(`/sources/${version.sourceId}/lookups`, lookup));
  ok(await api.post(`${version.path}/baseline`, by));
  ok(await api.post(`${version.path}/reference`, by));
});
afterAll(() => service?.stop());

/** The conversions of the rows behind a condition by SQL: of the plan's, unless another condition says which rows. */
async function bySql(
  where: string,
  included = `f.pf_iter <> 'reference' AND`,
): Promise<Record<string, { total: number; missing: number }>> {
  const sums = Object.values(IN_SQL).map(
    (
      [measure, rate],
      i,
    ) => `coalesce(sum(f.${measure} * nullif(${rate}::float8, 'NaN')), 0)::float8 AS t${i},
      count(*) FILTER (WHERE f.${measure} IS NOT NULL AND nullif(${rate}::float8, 'NaN') IS NULL)::int AS m${i}`,
  );
  const [row = {}] = await service.query<Record<string, number>>(
    `SELECT ${sums.join(', ')} FROM ${version.table} f
       LEFT JOIN public.rates r ON r.currency = f."Currency" AND f."Day" BETWEEN r.first AND r.last
       LEFT JOIN public.constant_rates k ON k.currency = f."Currency"
     WHERE ${included} (${where})`,
  );
  return Object.fromEntries(
    Object.keys(IN_SQL).map((name, i) => [
      name,
      { total: row[`t${i}`] ?? NaN, missing: row[`m${i}`] ?? NaN },
    ]),
  );
}

const near = (all: Record<string, { total: number; missing: number }>) =>
  Object.fromEntries(
    Object.entries(all).map(([name, { total, missing }]) => [
      name,
      { total: expect.closeTo(total, 6), missing },
    ]),
  );

const sliceOf = async (slice: object, more: object = {}): Promise<SlicePreview> =>
  ok(await api.post(`${version.path}/slice`, { slice, ...more })).body;

/** Slices of every level, with their conditions. */
const LEVELS: [slice: object, where: string][] = [
  [{}, 'TRUE'],
  ...['US', 'CH', 'DE', 'UK'].map((c): [object, string] => [{ Country: c }, `"Country" = '${c}'`]),
  [{ Country: null }, '"Country" IS NULL'],
  [{ Country: ['US', 'CH'] }, `"Country" IN ('US', 'CH')`],
  [{ 'Product "P"': "it's" }, `"Product ""P""" = 'it''s'`],
  ...['2027-01-15', '2027-02-28', '2027-03-01'].map((day): [object, string] => [
    { Day: day, Country: 'US' },
    `"Day" = '${day}' AND "Country" = 'US'`,
  ]),
  [
    { Day: { from: '2027-01-01', to: '2027-02-28' } },
    `"Day" BETWEEN '2027-01-01' AND '2027-02-28'`,
  ],
  [{ Day: null }, '"Day" IS NULL'],
  [{ Zone: ['dollar', 'franc'] }, `"Currency" IN ('USD', 'CHF')`],
  [{ Country: 'nowhere' }, 'FALSE'],
];

describe('two currencies at four rates', () => {
  it.each(LEVELS)(
    '%j has the totals of SQL, and counts amounts without a rate',
    async (slice, where) => {
      const expected = near(await bySql(where));
      const { conversions, free } = await sliceOf(slice);
      expect(conversions).toEqual(expected);
      expect(free.conversions).toEqual(expected);
    },
  );

  it('several slices at once are the same', async () => {
    const slices = LEVELS.map(([slice]) => slice);
    const { body } = ok(await api.post(`${version.path}/slices`, { slices }));
    for (const [i, [, where]] of LEVELS.entries())
      expect(body.slices[i].conversions).toEqual(near(await bySql(where)));
  });

  it('held and locked rows count in the total, and not among the free ones', async () => {
    const hold = [{ Country: 'CH' }];
    const { conversions, free } = await sliceOf({}, { hold });
    expect(conversions).toEqual(near(await bySql('TRUE')));
    expect(free.conversions).toEqual(near(await bySql(`"Country" IS DISTINCT FROM 'CH'`)));
  });

  it('the rows of a lookup have the rates by key', async () => {
    const lookups = (await api.get(`/sources/${version.sourceId}/lookups`)).body;
    const [constant] = lookups;
    const { bytes } = await api.get(`/lookups/${constant.id}/rows?version=${version.id}`);
    expect(decode(bytes).rows).toEqual(
      expect.arrayContaining([
        { Currency: 'USD', Zone: 'dollar', 'EUR, constant rate: rate': 0.9 },
        { Currency: 'GBP', Zone: 'pound', 'EUR, constant rate: rate': null },
        { Currency: null, Zone: null, 'EUR, constant rate: rate': null },
      ]),
    );
  });

  it('rows of a change have their conversions, and an undo removes them', async () => {
    const before = await sliceOf({});
    const scaled = ok(
      await api.post(`${version.path}/scale`, { slice: { Zone: 'franc' }, value_pct: 10, ...by }),
    );
    expect((await sliceOf({})).conversions).toEqual(near(await bySql('TRUE')));
    ok(await api.del(`/log/${scaled.body[0].pf_logid}`));
    expect((await sliceOf({})).conversions).toEqual(before.conversions);
  });
});

describe('an explanation', () => {
  it('has the conversions of each entry, also of the reference', async () => {
    const to = (path: string, body: object): Promise<Answer> =>
      api.post(`${version.path}/${path}`, { ...body, ...by });
    const { body: scaled } = ok(await to('scale', { slice: { Zone: 'dollar' }, pct: 10 }));
    const { body: moved } = ok(
      await to('recode', { slice: { Country: 'UK' }, set: { Currency: 'CHF' } }),
    );
    for (const [slice, where] of LEVELS) {
      const { body } = ok(await api.post(`${version.path}/explain`, { slice }));
      for (const { logid, conversions } of body.entries)
        expect(conversions).toEqual(near(await bySql(`(${where}) AND pf_logid = ${logid}`, '')));
    }
    const { body } = ok(await api.post(`${version.path}/explain`, { slice: {} }));
    expect(body.entries.map(({ operation }: { operation: string }) => operation)).toEqual([
      ...['baseline', 'reference', 'scale', 'recode'],
    ]);
    for (const [{ pf_logid: logid }] of [moved, scaled]) ok(await api.del(`/log/${logid}`));
  });

  it('has the conversions that can be computed', async () => {
    await service.query(`ALTER TABLE public.rates RENAME TO others`);
    const { body } = ok(await api.post(`${version.path}/explain`, { slice: {} }));
    for (const { conversions } of body.entries)
      expect(Object.keys(conversions)).toEqual(['EUR, constant rate']);
    await service.query(`ALTER TABLE public.others RENAME TO rates`);
  });
});

describe('at a grain', () => {
  const SHOWN = COLUMNS.map((column) => ({
    ...column,
    grain: ['Day', 'Country', 'Currency'].includes(column.name),
  }));

  it('the groups times the rates of their keys are the totals of SQL', async () => {
    const grain = await plan(service, SHOWN, [...ROWS, ...UNKNOWN]);
    for (const lookup of [RATES, CONSTANT])
      ok(await api.post(`/sources/${grain.sourceId}/lookups`, lookup));
    ok(await api.post(`${grain.path}/baseline`, by));
    const totals = new Map<string, number>();
    const { rows } = decode(ok(await api.get(`${grain.path}/agg`)).bytes);
    for (const { id, conversions } of ok(await api.get(`/sources/${grain.sourceId}/lookups`))
      .body) {
      const rates = decode(ok(await api.get(`/lookups/${id}/rows?version=${grain.id}`)).bytes).rows;
      for (const { label, measure } of conversions)
        for (const group of rows) {
          const key = rates.find((each) =>
            ['Day', 'Currency'].every(
              (name) => !(name in each) || String(each[name]) === String(group[name]),
            ),
          );
          const rate = Number(key?.[`${label}: rate`] ?? 0);
          totals.set(label, (totals.get(label) ?? 0) + Number(group[measure] ?? 0) * rate);
        }
    }
    const { conversions } = ok(await api.post(`${grain.path}/slice`, { slice: {} })).body;
    const sql = await bySql('TRUE');
    expect(conversions).toEqual(near(sql));
    for (const [name, { total }] of Object.entries(sql))
      expect(totals.get(name)).toBeCloseTo(total, 6);
  });

  it('a lookup without its keys in the grain has no rows, and slices have its conversions', async () => {
    const coarse = SHOWN.map((column) => ({
      ...column,
      grain: column.grain && column.name !== 'Currency',
    }));
    const grain = await plan(service, coarse, [...ROWS, ...UNKNOWN]);
    const { id } = ok(await api.post(`/sources/${grain.sourceId}/lookups`, CONSTANT)).body;
    ok(await api.post(`${grain.path}/baseline`, by));
    const refused = await api.get(`/lookups/${id}/rows?version=${grain.id}`);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.stringContaining('without "Currency"'),
    ]);
    const { conversions } = ok(await api.post(`${grain.path}/slice`, { slice: {} })).body;
    const { 'EUR, constant rate': constant = { total: NaN, missing: NaN } } = await bySql('TRUE');
    expect(conversions).toEqual(near({ 'EUR, constant rate': constant }));
  });
});

describe('an amount typed into a conversion', () => {
  it.each<[string, 'total' | 'change' | 'percent', number, object]>([
    ['EUR, plan rate', 'total', 10_000, {}],
    ['EUR, plan rate', 'change', -250.25, { hold: [{ Country: 'US', Day: '2027-01-15' }] }],
    ['EUR, constant rate', 'percent', 12.5, { hold: [{ Country: 'CH' }] }],
    ["EUR, last year's rate", 'total', 1, {}],
    ['Cost in EUR', 'total', 5000, {}],
  ])(
    '%s: %s %d reaches it as nearly as the decimals of the amounts allow',
    async (name, how, amount, more) => {
      const slice = { Country: ['US', 'CH'], Day: { from: '2027-01-01' } };
      const stored = await sliceOf(slice, more);
      const key = name === 'Cost in EUR' ? 'Cost' : 'value';
      const now = stored.conversions?.[name]?.total ?? NaN;
      const solved = editOfMeasure({ name, key }, { by: how, amount }, stored);
      if (solved === null) throw new Error('no change gives this amount');
      const edit = roundedEdit(key, solved, stored, null);
      const amounts = amountField(key, edit.by === 'percent' ? 'pct' : 'incr', edit.amount);
      const [{ pf_logid: logid }] = ok(
        await api.post(`${version.path}/scale`, { slice, ...amounts, ...more, ...by }),
      ).body;
      const where = `"Country" IN ('US', 'CH') AND "Day" IS NOT NULL`;
      const after = (await bySql(where))[name]?.total ?? NaN;
      const wanted =
        how === 'total' ? amount : how === 'change' ? now + amount : now * (1 + amount / 100);
      // Each of the leaves is rounded to a cent of its currency.
      expect(Math.abs(after - wanted)).toBeLessThan(key === 'Cost' ? 1e-6 : 0.12);
      ok(await api.del(`/log/${logid}`));
    },
  );
});

describe('conversions that are refused', () => {
  const NO = { ...CONSTANT, name: 'No', attributes: [] };
  it.each<[string, object, number, string, RegExp]>([
    [
      'without anything to add',
      { ...NO, conversions: [] },
      400,
      'attributes',
      /attributes, conversions, or both/,
    ],
    [
      'of no measure',
      { ...NO, conversions: [conversion('X', 'rate', 'Country')] },
      400,
      'conversions.0.measure',
      /"Country" is not a measure/,
    ],
    [
      'by no column',
      { ...NO, conversions: [conversion('X', 'no')] },
      400,
      'conversions.0.rate',
      /no column "no"/,
    ],
    [
      'by a text',
      { ...NO, conversions: [conversion('X', 'zone')] },
      400,
      'conversions.0.rate',
      /"zone" is not a number/,
    ],
    [
      'with the name of a column',
      { ...NO, conversions: [conversion('Units', 'rate')] },
      400,
      'conversions.0.label',
      /column named "Units"/,
    ],
    [
      'with the name of a role',
      { ...NO, conversions: [conversion('value', 'rate')] },
      400,
      'conversions.0.label',
      /"value" stands for/,
    ],
    [
      'with a name twice',
      { ...NO, conversions: [conversion('X', 'rate'), conversion('X', 'rate')] },
      400,
      'conversions.1.label',
      /Two attributes or conversions/,
    ],
    [
      'with the name of another one',
      { ...NO, conversions: [conversion('Cost in EUR', 'rate')] },
      400,
      'conversions.0.label',
      /lookup “Rates”/,
    ],
    [
      'with the name of a part of another one',
      { ...NO, conversions: [conversion('Cost in EUR of East', 'rate')] },
      400,
      'conversions.0.label',
      /reserved for parts of the column "Cost in EUR"/,
    ],
  ])('%s', async (_, body, status, field, sentence) => {
    const answer = await api.post(`/sources/${version.sourceId}/lookups`, body);
    expect([answer.status, answer.body.field]).toEqual([status, field]);
    expect(answer.body.error).toMatch(sentence);
  });
});

it('a formula uses conversions as it uses measures', async () => {
  const formulas = `/sources/${version.sourceId}/formulas`;
  const expression = '"EUR, plan rate" - "EUR, constant rate"';
  const made = ok(await api.post(formulas, { name: 'Effect of rates', expression, ...by }));
  expect(made.body.problem).toBeNull();
  const taken = await api.post(formulas, { name: 'EUR, plan rate', expression, ...by });
  expect([taken.status, taken.body.error]).toEqual([
    409,
    expect.stringContaining('lookup “Rates”'),
  ]);
  const part = await api.post(formulas, { name: 'EUR, plan rate of East', expression, ...by });
  expect([part.status, part.body.field]).toEqual([409, 'name']);
  const whole = await api.post(`/sources/${version.sourceId}/lookups`, {
    ...{ ...CONSTANT, name: 'Effects', attributes: [] },
    conversions: [conversion('Effect', 'rate')],
  });
  expect([whole.status, whole.body.field]).toEqual([400, 'conversions.0.label']);
  const lookups = (await api.get(`/sources/${version.sourceId}/lookups`)).body;
  const { id } = lookups.find(({ name }: { name: string }) => name === 'Constant rates');
  ok(await api.del(`/lookups/${id}`));
  const [left] = (await api.get(formulas)).body;
  expect(left.problem).toContain('EUR, constant rate');
  expect(Object.keys((await sliceOf({})).conversions ?? {})).toEqual(
    RATES.conversions.map(({ label }) => label),
  );
  ok(await api.post(`/sources/${version.sourceId}/lookups`, CONSTANT));
  expect((await api.get(formulas)).body[0].problem).toBeNull();
});

it('rates that are there twice, or whose table is gone, convert nothing and refuse no slice', async () => {
  await service.query(`INSERT INTO public.rates SELECT * FROM public.rates WHERE currency = 'USD'`);
  expect(Object.keys((await sliceOf({})).conversions ?? {})).toEqual(['EUR, constant rate']);
  await service.query(`DELETE FROM public.rates a USING public.rates b
    WHERE a.ctid < b.ctid AND a.currency = b.currency AND a.first = b.first`);
  expect((await sliceOf({})).conversions).toEqual(near(await bySql('TRUE')));
  await service.query(`ALTER TABLE public.rates RENAME TO others`);
  expect(Object.keys((await sliceOf({})).conversions ?? {})).toEqual(['EUR, constant rate']);
  await service.query(`ALTER TABLE public.others RENAME TO rates`);
});

it('rates that cannot be computed convert nothing and refuse no slice', async () => {
  await service.query(`ALTER TABLE public.rates RENAME TO others;
    CREATE VIEW public.rates AS
      SELECT currency, first, last, plan / (plan - plan) AS plan, "last year", actual FROM public.others`);
  const { body } = ok(await api.post(`${version.path}/slices`, { slices: [{}] }));
  for (const { conversions } of [await sliceOf({}), body.slices[0]])
    expect(Object.keys(conversions ?? {})).toEqual(['EUR, constant rate']);
  await service.query(`DROP VIEW public.rates; ALTER TABLE public.others RENAME TO rates`);
});

it.each(['Infinity', '-Infinity', '1e100'])('a rate of %s is missing', async (rate) => {
  const set = (to: string) =>
    service.query(`UPDATE public.constant_rates SET rate = '${to}' WHERE currency = 'GBP';
      UPDATE public.rates SET actual = ${to === 'NaN' ? 'plan * 1.01' : `'${to}'`}
      WHERE currency = 'CHF' AND first = '2027-01-01'`);
  await set(rate);
  expect((await sliceOf({ Country: 'UK' })).conversions).toMatchObject({
    'EUR, constant rate': { total: 0, missing: 1 },
  });
  expect((await sliceOf({ Country: 'CH', Day: '2027-01-15' })).conversions).toMatchObject({
    'EUR, actual rate': { total: 0, missing: 2 },
  });
  await set('NaN');
});

it('amounts without a rate that cancel each other out are not missing', async () => {
  const recode = { slice: { Country: 'UK' }, set: { Currency: 'EUR' }, ...by };
  const [{ pf_logid: logid }] = ok(await api.post(`${version.path}/recode`, recode)).body;
  expect((await sliceOf({ Country: 'UK' })).conversions).toMatchObject({
    'EUR, constant rate': { total: 500, missing: 0 },
  });
  ok(await api.del(`/log/${logid}`));
});

it('doubles are added up as decimal numbers, with held rows too, and without the noise of a recode', async () => {
  await service.query(`CREATE TABLE public.weights (code text PRIMARY KEY, weight integer);
    INSERT INTO public.weights VALUES ('a', 1), ('b', 1), ('c', 1)`);
  const columns: TableColumn[] = [
    { name: 'Day', type: 'date', role: 'date' },
    { name: 'Code', type: 'text', role: 'dimension' },
    { name: 'Amount', type: 'double precision', role: 'value' },
  ];
  const amounts: [Code: string, Amount: number][] = [
    ['a', 0.1],
    ['b', 0.2],
    ['c', 0.3],
    ['z', 1234567.1],
    ['z', 0.12345678901234],
  ];
  const own = await plan(
    service,
    columns,
    amounts.map(([Code, Amount]) => ({ Day: '2027-01-15', Code, Amount })),
  );
  const lookup = {
    ...{ name: 'Weights', schema: 'public', tname: 'weights' },
    keys: [{ column: 'Code', from: 'code' }],
    conversions: [{ label: 'Weighed', measure: 'Amount', rate: 'weight' }],
  };
  ok(await api.post(`/sources/${own.sourceId}/lookups`, { ...lookup, ...by }));
  ok(await api.post(`${own.path}/baseline`, by));
  const weighed = async (slice: object) =>
    ok(await api.post(`${own.path}/slice`, { slice })).body.conversions.Weighed;
  const known = { Code: ['a', 'b', 'c'] };
  expect(await weighed(known)).toEqual({ total: 0.6, missing: 0 });
  expect(await weighed({})).toEqual({ total: 0.6, missing: 2 });
  const lock = ok(await api.post(`${own.path}/locks`, { slice: { Code: 'b' }, ...by })).body;
  expect(await weighed(known)).toEqual({ total: 0.6, missing: 0 });
  ok(await api.del(`/locks/${lock.id}`));
  const away = { slice: { Code: 'z' }, set: { Code: 'd' }, ...by };
  ok(await api.post(`${own.path}/recode`, away));
  expect((await weighed({ Code: 'z' })).missing).toBe(0);
});
