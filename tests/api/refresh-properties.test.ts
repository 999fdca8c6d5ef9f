import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { it } from '../support/api';
import { planToRefresh, type SourceLine } from '../support/refreshing';

/** Leaves with their amounts, by the text of their keys. */
type Leaves = Map<string, { amounts: number[]; keys: unknown[] }>;

/** A load with what it and its live refreshes hold, as the test computes it. */
interface HeldLoad {
  logid: number;
  iter: 'baseline' | 'reference';
  where: string;
  offset: string;
  held: Leaves;
}

/** A step of a case; which fields it has depends on what it does. */
interface Asked {
  do: string;
  pick?: number | null;
  line?: SourceLine;
  where?: string;
  offset?: string;
  through?: number;
  slice?: object;
}

/** Number of random cases. REFRESH_CASES=1000 plays a thousand. */
const CASES = Number(process.env.REFRESH_CASES ?? 12);
vi.setConfig({ testTimeout: CASES * 15_000 });

const pad = (n: number) => String(n).padStart(2, '0');
const region = fc.constantFrom('A', 'B', null);
const product = fc.constantFrom('x', '{{logid}}');
const month = fc.integer({ min: 1, max: 3 });
const day = fc
  .option(fc.tuple(month, fc.constantFrom(1, 15, 31)), { freq: 8 })
  .map((d) => d && `2025-${pad(d[0])}-${pad(d[0] === 2 ? Math.min(d[1], 28) : d[1])}`);
const amount = fc.option(fc.integer({ min: -9999, max: 9999 }).map((n) => n / 100));
const count = fc.option(fc.integer({ min: -9, max: 9 }));
const line: fc.Arbitrary<SourceLine> = fc.tuple(region, product, day, amount, count, amount);
const where = fc.constantFrom('TRUE', `"Region" = 'A'`, `"Product" = 'x'`, `"Region" IS NULL`);
const pick = fc.nat();
const slice = fc.oneof(
  fc.record({ Region: region }),
  fc.record({ Region: region, Product: product }),
  fc.record({ 'Order Date': month.map((m) => ({ from: `2026-${pad(m)}-01` })) }),
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refresh'), pick: fc.option(pick) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('add'), line }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change'), pick, line }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo'), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('baseline', 'reference'),
      where,
      offset: fc.constantFrom('1 year', '1 month'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close'), through: month }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lock'), slice }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unlock'), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('scale'), slice, pct: fc.constantFrom(5, -50) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('recode'),
      slice,
      set: fc.record({ Product: product }),
      factor: fc.constantFrom(1, 0.3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('clone'), slice, set: fc.record({ Region: region }) }),
  },
);

const none = { amounts: [0, 0, 0], keys: [] };
const cents = (amounts: readonly unknown[]) =>
  amounts.map((n) => Math.round(Number(n) * 100) / 100);
const leavesOf = (rows: readonly unknown[][]): Leaves =>
  new Map(
    rows.map((r) => [JSON.stringify(r.slice(0, 4)), { keys: r, amounts: cents(r.slice(4)) }]),
  );
/** Adds leaves up, and leaves out what nets to nothing. */
const together = (all: readonly Leaves[]) => {
  const sums = new Map<string, number[]>();
  for (const [key, { amounts }] of all.flatMap((leaves) => [...leaves])) {
    const sum = sums.get(key) ?? none.amounts;
    sums.set(key, cents(sum.map((n, i) => n + (amounts[i] ?? 0))));
  }
  return [...sums].filter(([, sum]) => sum.some((n) => n !== 0)).toSorted();
};

it('makes loads hold what the source has, leaf by leaf, after random changes', async ({
  service,
}) => {
  const { api } = service;
  const seen = { entries: 0, nothing: 0, leftAlone: 0, undone: 0, overlapping: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 2, maxLength: 8 }),
      fc.array(step, { minLength: 8, maxLength: 16 }),
      async (lines, steps) => {
        const plan = await planToRefresh(service, lines);
        await plan.change('ALTER TABLE SOURCE ADD COLUMN id serial');
        let loads: HeldLoad[] = [];
        const iters = new Map<number, HeldLoad['iter']>();
        /** What each live refresh has added to each load, also to loads that were undone since. */
        const refreshes = new Map<number, Map<number, Leaves>>();
        const ofSource = async ({ where: condition, offset }: HeldLoad) =>
          leavesOf(await plan.sourceLeaves(condition, offset));
        const load = async (iter: HeldLoad['iter'], condition: string, offset: string) => {
          const answer = await plan.post(iter, { raw_where: condition, date_offset: offset });
          if (answer.status !== 200) return expect([422, 423]).toContain(answer.status);
          const made = { logid: answer.body.logid, iter, where: condition, offset };
          iters.set(made.logid, iter);
          loads.push({ ...made, held: await ofSource({ ...made, held: new Map() }) });
        };
        await load('baseline', 'TRUE', '1 year');

        /** The keys of leaves that locks hold. */
        const isHeld = async (leaves: Leaves) => {
          const locks = (await plan.locks()) as {
            slice: Record<string, string | null | { from: string; to?: string }>;
          }[];
          return new Set(
            [...leaves].flatMap(([key, { keys }]) => {
              const [Region, Product, date] = keys as (string | null)[];
              const of: Record<string, string | null> = { Region: Region!, Product: Product! };
              const holds = locks.some(({ slice: held }) =>
                Object.entries(held).every(([name, value]) => {
                  if (value === null || typeof value === 'string') return of[name] === value;
                  return date != null && date >= value.from && date <= (value.to ?? '9999');
                }),
              );
              return holds ? [key] : [];
            }),
          );
        };
        const refresh = async (picked: number | null) => {
          const chosen =
            picked === null
              ? loads
              : loads.slice(picked % loads.length, (picked % loads.length) + 1);
          if (picked !== null && chosen.length === 0) return;
          const answer = await plan.refreshed(
            picked === null ? {} : { loads: chosen.map(({ logid }) => logid) },
          );
          const parts = new Map<number, Leaves>();
          let [rows, left] = [0, 0];
          const bring = async (held: Leaves, now: Leaves, logid: number) => {
            const all = new Map([...held, ...now]);
            const kept = await isHeld(all);
            const added: Leaves = new Map();
            for (const [key, { keys }] of all) {
              const [was, is] = [held.get(key) ?? none, now.get(key) ?? none];
              const amounts = cents(is.amounts.map((n, i) => n - (was.amounts[i] ?? 0)));
              if (amounts.every((n) => n === 0)) continue;
              if (kept.has(key)) left += 1;
              else added.set(key, { keys, amounts });
            }
            rows += added.size;
            parts.set(logid, added);
          };
          for (const each of chosen) {
            await bring(sumOf(each.logid, each.held), await ofSource(each), each.logid);
          }
          const gone = new Set(
            [...refreshes.values()].flatMap((of) => [...of.keys()]).filter(isUndone),
          );
          for (const logid of picked === null ? gone : [])
            await bring(sumOf(logid, new Map()), new Map(), logid);
          const { closed, locked } = answer.left_alone;
          expect([answer.row_count, closed + locked]).toEqual([rows, left]);
          expect(answer.logid === null).toBe(rows === 0);
          if (answer.logid !== null) refreshes.set(answer.logid, parts);
          seen[rows === 0 ? 'nothing' : 'entries'] += 1;
          if (left > 0) seen.leftAlone += 1;
          if (loads.length > 1) seen.overlapping += 1;
        };
        const isUndone = (id: number) => !loads.some(({ logid }) => logid === id);
        /** What a load holds with all live refreshes. */
        const sumOf = (logid: number, own: Leaves): Leaves => {
          const all = [own, ...[...refreshes.values()].flatMap((of) => of.get(logid) ?? [])];
          const keysOf = new Map(all.flatMap((leaves) => [...leaves]));
          return new Map(
            together(all).map(([key, amounts]) => [key, { amounts, keys: keysOf.get(key)!.keys }]),
          );
        };
        const undo = async (n: number) => {
          const entries = await plan.entries();
          const { id } = (entries[n % entries.length] ?? {}) as { id?: number };
          if (id === undefined) return;
          const answer = await api.del(`/log/${id}`);
          if (answer.status !== 200) return expect([409, 423]).toContain(answer.status);
          loads = loads.filter(({ logid }) => logid !== id);
          if (refreshes.delete(id)) seen.undone += 1;
        };
        const values = ([Region, Product, date, Sales, Units, Cost]: SourceLine) =>
          [Region, Product, date, Sales, Units, Cost]
            .map((value) => (value == null ? 'NULL' : `'${value}'`))
            .join(', ');
        const columns = `"Region", "Product", "Order Date", "Sales", "Units", "Cost"`;
        const nth = (n: number) =>
          `id = (SELECT id FROM SOURCE ORDER BY id OFFSET ${n} % GREATEST(1, (SELECT count(*) FROM SOURCE)) LIMIT 1)`;
        const run = async (asked: Asked) => {
          switch (asked.do) {
            case 'refresh':
              return refresh(asked.pick ?? null);
            case 'add':
              return plan.change(`INSERT INTO SOURCE (${columns}) VALUES (${values(asked.line!)})`);
            case 'change':
              return plan.change(
                `UPDATE SOURCE SET (${columns}) = ROW(${values(asked.line!)}) WHERE ${nth(asked.pick!)}`,
              );
            case 'delete':
              return plan.change(`DELETE FROM SOURCE WHERE ${nth(asked.pick!)}`);
            case 'undo':
              return undo(asked.pick!);
            case 'baseline':
            case 'reference':
              return load(asked.do, asked.where!, asked.offset!);
            case 'close':
              return plan.post('actuals', {
                ...{ raw_where: 'TRUE', date_offset: '1 year', from: '2026-01-01' },
                through: `2026-${pad(asked.through!)}-28`,
              });
            case 'lock':
              return plan.post('locks', { slice: asked.slice });
            case 'unlock': {
              const locks = (await plan.locks()).filter(({ logid }) => logid === undefined);
              const lock = locks[asked.pick! % locks.length];
              return lock && api.del(`/locks/${String(lock.id)}`);
            }
            default: {
              const { do: operation, ...body } = asked;
              return plan.post(operation, body);
            }
          }
        };
        for (const asked of [...steps, { do: 'refresh', pick: null }]) {
          await run(asked);
          for (const iter of ['baseline', 'reference'] as const) {
            const stands = leavesOf(await plan.leaves(`pf_iter = '${iter}'`));
            const live = loads.filter((each) => each.iter === iter).map(({ held }) => held);
            const added = [...refreshes.values()].flatMap((of) =>
              [...of].flatMap(([logid, leaves]) => (iters.get(logid) === iter ? [leaves] : [])),
            );
            expect(together([stands])).toEqual(together([...live, ...added]));
          }
        }
      },
    ),
    { numRuns: CASES },
  );
  for (const [what, times] of Object.entries(seen)) expect([what, times > 0]).toEqual([what, true]);
});
