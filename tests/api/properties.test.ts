import fc from 'fast-check';
import { expect } from 'vitest';
import { it } from '../support/api';
import { cases } from '../support/cases.js';
import { parse, round, ZERO } from '../support/exact';
import {
  change,
  hold,
  NUMBERS,
  REGIONS,
  slice,
  step,
  table,
  type Step,
  type Table,
} from '../support/generated';
import {
  clone,
  inSlice,
  recode,
  scale,
  scaleInTurn,
  type Change,
  type Outcome,
  type Slice,
  type State,
} from '../support/model';
import {
  bytes,
  expectAnswer,
  expectRows,
  expectSum,
  grainKeyOf,
  plan,
  stored,
  type Planned,
  type SourceRow,
} from '../support/planned';
import type { Service } from '../support/service';

const BODY = { pf_user: 'ann', note: 'prüfen' };

async function load({ api }: Service, planned: Planned, source: Table): Promise<number[]> {
  const loads: [string, object][] = [['baseline', {}]];
  if (source.twice) loads.push(['baseline', { date_offset: '1 year' }]);
  if (source.reference) loads.push(['reference', { date_offset: '-1 month' }]);
  const logids: number[] = [];
  for (const [operation, body] of loads) {
    const answer = await api.post(`${planned.path}/${operation}`, { ...BODY, ...body });
    expect(answer.body.error).toBeUndefined();
    expect(answer.body.row_count).toBe(source.rows.length);
    logids.push(answer.body.logid);
  }
  return logids;
}

function expected(step: Exclude<Step, { do: 'undo' }>, state: State): Outcome {
  if (step.do === 'scale') return scale(state, step.slice, step.change, step.hold);
  if (step.do === 'recode') return recode(state, step.slice, step.set);
  return clone(state, step.slice, step.set, step.factor);
}

const amounts = (change: Change): object =>
  'pct' in change
    ? change
    : { value_incr: change.value, units_incr: change.units, spread: change.spread };

function request(step: Exclude<Step, { do: 'undo' }>): object {
  if (step.do === 'scale') {
    return { ...BODY, slice: step.slice, ...amounts(step.change), hold: step.hold };
  }
  if (step.do === 'recode') return { ...BODY, slice: step.slice, set: step.set };
  return { ...BODY, slice: step.slice, set: step.set, scale_factor: step.factor };
}

/** Checks that every row's period columns match the calendar's for its date. */
async function expectPeriods({ query }: Service, { table }: Planned): Promise<void> {
  const wrong = await query(
    `SELECT "Order Date", "Order Year", "Order Month" FROM ${table}
     WHERE ("Order Year", "Order Month") IS DISTINCT FROM (
       CASE WHEN "Order Date" BETWEEN '2018-01-01' AND '2035-12-31'
         THEN extract(year FROM "Order Date")::bigint END,
       CASE WHEN "Order Date" BETWEEN '2018-01-01' AND '2035-12-31'
         THEN left("Order Date"::text, 7) END)`,
  );
  expect(wrong).toEqual([]);
}

/** Runs one step and compares the written rows with the model. Returns the entry, if any. */
async function take(
  service: Service,
  planned: Planned,
  exclude: string[],
  step: Exclude<Step, { do: 'undo' }>,
): Promise<number | undefined> {
  const { api } = service;
  const { shape } = planned;
  const rows = await stored(service, planned);
  const before = await bytes(service, planned);
  const outcome = expected(step, { rows, exclude, shape });
  const answer = await api.post(`${planned.path}/${step.do}`, request(step));
  expect([answer.status, answer.body.error]).toEqual(
    'rows' in outcome ? [200, undefined] : [outcome.status, expect.any(String)],
  );
  if (!('rows' in outcome)) {
    expect(await bytes(service, planned)).toEqual(before);
    return undefined;
  }

  const [entry] = (await api.get(`${planned.path}/log`)).body.entries;
  const written = await stored(service, planned, entry.id);
  expectRows(planned, written, outcome.rows);
  expect(await bytes(service, planned, entry.id)).toEqual(before);
  expectAnswer(planned, answer.body, written, { pf_note: BODY.note, pf_op: step.do });
  expect(written.every((r) => r.iter === step.do)).toBe(true);
  if (step.do === 'scale') {
    expect(written.filter((r) => step.hold.some((held) => inSlice(r, held, shape)))).toEqual([]);
  }
  expect([entry.operation, entry.row_count]).toEqual([step.do, written.length]);

  for (const m of ['value', 'units'] as const) {
    const kind = shape[m]?.kind;
    if (!kind) continue;
    const parts = written.map((r) => r[m]!.at);
    if (step.do === 'recode') expectSum(parts, ZERO, kind);
    if (step.do !== 'scale' || 'pct' in step.change) continue;
    const asked = parse(String(step.change[m] ?? 0));
    expectSum(parts, kind.exact && kind.scale !== null ? round(asked, kind.scale) : asked, kind);
    if (!step.change[m]) expect(parts.every((p) => p.n === 0n)).toBe(true);
  }
  return entry.id;
}

async function undo(service: Service, planned: Planned, logid: number): Promise<void> {
  const { api } = service;
  const going = await stored(service, planned, logid);
  const rest = await bytes(service, planned, logid);
  const answer = await api.del(`/log/${logid}`);
  expect([answer.status, answer.body.rows_deleted]).toEqual([200, going.length]);
  if (planned.grain.length === 0) {
    expect(answer.body.pf_ids.sort()).toEqual(going.map((r) => r.plain.pf_id).sort());
  } else {
    const keys = new Set(going.map((row) => grainKeyOf(planned, row)));
    expect(answer.body.pf_gkeys.sort()).toEqual([...keys].sort());
  }
  expect(await bytes(service, planned)).toEqual(rest);
  expect((await api.del(`/log/${logid}`)).status).toBe(404);
}

async function live(
  service: Service,
  source: Table,
  steps: Step[],
  order: number[],
): Promise<void> {
  const planned = await plan(service, source.columns, source.rows, {
    exclude_iters: source.exclude,
  });
  const loads = await load(service, planned, source);
  await expectPeriods(service, planned);
  const loaded = await bytes(service, planned);
  const entries: number[] = [];
  for (const next of steps) {
    if (next.do !== 'undo') {
      const logid = await take(service, planned, source.exclude, next);
      if (logid !== undefined) entries.push(logid);
    } else if (entries.length > 0) {
      const [logid] = entries.splice(next.which % entries.length, 1);
      await undo(service, planned, logid!);
    }
    await expectPeriods(service, planned);
  }
  for (const which of order) {
    if (entries.length === 0) break;
    const [logid] = entries.splice(which % entries.length, 1);
    await undo(service, planned, logid!);
  }
  for (const logid of entries) await undo(service, planned, logid);
  expect(await bytes(service, planned)).toEqual(loaded);
  for (const logid of loads) await undo(service, planned, logid);
  expect(await bytes(service, planned)).toEqual([]);
}

for (const [mode, grain] of [
  ['row by row', false],
  ['at a grain', true],
] as const) {
  it(`writes exactly the requested changes, and undoes them in any order, ${mode}`, async ({
    service,
  }) => {
    await fc.assert(
      fc.asyncProperty(
        table(grain),
        fc.array(step, { minLength: 1, maxLength: 7 }),
        fc.array(fc.nat(), { minLength: 7, maxLength: 7 }),
        (source, steps, order) => live(service, source, steps, order),
      ),
      { numRuns: cases(20) },
    );
  });
}

it('rounds each leaf the same for every order of the source rows', async ({ service }) => {
  const exact = table(false).filter((t) => t.columns.every((c) => !/real|double/.test(c.type)));
  await fc.assert(
    fc.asyncProperty(
      exact.chain((source) =>
        fc.tuple(
          fc.constant(source),
          fc.shuffledSubarray(source.rows, { minLength: source.rows.length }),
        ),
      ),
      fc.array(step, { minLength: 1, maxLength: 3 }),
      async ([source, shuffled], steps) => {
        const results = [];
        for (const rows of [source.rows, shuffled]) {
          const planned = await plan(service, source.columns, rows, {
            exclude_iters: source.exclude,
          });
          await load(service, planned, source);
          for (const next of steps) {
            if (next.do === 'undo') continue;
            await service.api.post(`${planned.path}/${next.do}`, request(next));
          }
          const written = await stored(service, planned);
          results.push(
            written
              .filter((r) => r.iter !== 'baseline' && r.iter !== 'reference')
              .map(({ plain: { pf_id: _, pf_logid: __, ...plain } }) => plain),
          );
        }
        expect(results[1]).toEqual(results[0]);
      },
    ),
    { numRuns: cases(6) },
  );
});

/** Changes of any rows. */
const changes = fc.array(fc.record({ slice, change }), { minLength: 1, maxLength: 5 });

/** Amounts of different rows, spread alike, as a block of cells sends them. */
const block = fc
  .record({
    regions: fc.uniqueArray(fc.constantFrom(...REGIONS), { minLength: 2, maxLength: 4 }),
    common: fc.constantFrom<Slice>(
      {},
      { 'Order Date': { from: '2026-01-31' } },
      { 'sub-cat': [0, 7, -3] },
      { 'sub-cat': [7, null] },
    ),
    amounts: fc.array(
      change.filter((each) => !('pct' in each) && each.spread !== 'price'),
      { minLength: 4, maxLength: 4 },
    ),
    spread: fc.constantFrom({}, { spread: 'equal' as const }),
  })
  .map(({ regions, common, amounts, spread }) =>
    regions.map((Region, i) => {
      const { spread: _, ...own } = amounts[i] as Exclude<Change, { pct: number }>;
      return { slice: { ...common, Region }, change: { ...own, ...spread } as Change };
    }),
  );

for (const [grain, does, edits] of [
  [false, 'makes several changes as one entry, each on what those before it left', changes],
  [true, 'makes several changes as one entry, each on what those before it left', changes],
  [false, 'makes changes of different rows as if in turn', block],
  [true, 'makes changes of different rows as if in turn', block],
] as const) {
  it(`${does}, ${grain ? 'at a grain' : 'row by row'}`, async ({ service }) => {
    const { api } = service;
    const exact = table(grain).filter((t) => t.columns.every((c) => !/real|double/.test(c.type)));
    await fc.assert(
      fc.asyncProperty(exact, edits, hold, async (source, edits, hold) => {
        const planned = await plan(service, source.columns, source.rows, {
          exclude_iters: source.exclude,
        });
        await load(service, planned, source);
        const { shape } = planned;
        const before = await bytes(service, planned);
        const rows = await stored(service, planned);
        const outcome = scaleInTurn({ rows, exclude: source.exclude, shape }, edits, hold);
        const body = {
          ...BODY,
          edits: edits.map((edit) => ({ slice: edit.slice, ...amounts(edit.change) })),
          hold,
        };
        const answer = await api.post(`${planned.path}/scale`, body);
        expect([answer.status, answer.body.error]).toEqual(
          'rows' in outcome ? [200, undefined] : [expect.any(Number), expect.any(String)],
        );
        const { entries } = (await api.get(`${planned.path}/log`)).body;
        if (!('rows' in outcome)) {
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(await bytes(service, planned)).toEqual(before);
          expect(entries[0].operation).not.toBe('scale');
          return;
        }
        const [entry] = entries;
        const written = await stored(service, planned, entry.id);
        expectRows(planned, written, outcome.rows);
        expectAnswer(planned, answer.body, written, { pf_note: BODY.note, pf_op: 'scale' });
        expect([entry.operation, entry.row_count]).toEqual(['scale', written.length]);
        await undo(service, planned, entry.id);
        expect(await bytes(service, planned)).toEqual(before);
      }),
      { numRuns: cases(14) },
    );
  });
}

it('holds on 10,000 rows', async ({ service }) => {
  const [[source]] = fc.sample(fc.tuple(table(false)), { numRuns: 1, seed: 7 }) as [[Table]];
  const columns = source.columns
    .filter((c) => c.role !== 'value' && c.role !== 'units')
    .concat(
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      { name: 'Units sold', type: 'smallint', role: 'units' },
    );
  const rows = Array.from({ length: 10_000 }, (_, i): SourceRow => ({
    Region: REGIONS[i % REGIONS.length]!,
    'a"b': `item ${i % 2503}`,
    'sub-cat': NUMBERS[i % NUMBERS.length]!,
    'Order Date': `2026-${String((i % 12) + 1).padStart(2, '0')}-01`,
    select: null,
    Sales: i % 97 === 0 ? null : ((i * 7919) % 200_003) / 100 - 400,
    'Units sold': i % 89 === 0 ? null : ((i * 31) % 41) - 9,
  }));
  const large = { ...source, columns, rows, exclude: ['reference'], twice: false, reference: true };
  const steps: Step[] = [
    { do: 'scale', slice: {}, change: { value: 123_456.785, units: -4321 }, hold: [] },
    { do: 'recode', slice: { Region: [null, ''] }, set: { 'Order Date': '2027-03-15' } },
    { do: 'clone', slice: { 'sub-cat': 7 }, set: { Region: 'North' }, factor: -0.333 },
    { do: 'undo', which: 1 },
    { do: 'scale', slice: { Region: 'North' }, change: { pct: 7.5 }, hold: [{ 'sub-cat': 7 }] },
    { do: 'scale', slice: {}, change: { value: 0.07, units: 9, spread: 'equal' }, hold: [] },
    {
      do: 'scale',
      slice: { Region: 'North' },
      change: { value: 4321.5, units: 321, spread: 'price' },
      hold: [],
    },
  ];
  await live(service, large, steps, [0, 0, 0]);
});
