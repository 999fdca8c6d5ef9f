import fc from 'fast-check';
import { expect } from 'vitest';
import { it } from '../support/api';
import { planOfNextYear, type Happened } from '../support/closing';

/** A close that is in force: its days, and the leaves of the source when it was made, by day. */
interface Close {
  logid: number;
  from: string;
  through: string;
  leaves: string[];
}

const pad = (n: number) => String(n).padStart(2, '0');
const region = fc.constantFrom('A', 'B', null);
const amount = fc.integer({ min: -9999, max: 9999 }).map((n) => n / 100);
const row = (year: number): fc.Arbitrary<Happened> =>
  fc.tuple(
    region,
    fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1, 15, 28))
      .map(([month, day]) => `${year}-${pad(month)}-${pad(day)}`),
    fc.option(amount),
    fc.option(fc.integer({ min: -50, max: 50 })),
  );
const month = fc.integer({ min: 1, max: 6 });
const slice = fc.oneof(
  fc.record({ Region: region }),
  fc.record({ 'Order Date': month.map((m) => ({ from: `2027-${pad(m)}-01` })) }),
  fc.constant({}),
);
const step = fc.oneof(
  fc.record({ do: fc.constant('close'), from: fc.option(month), through: month }),
  fc.record({ do: fc.constant('restate'), Sales: amount }),
  fc.record({ do: fc.constant('undo'), pick: fc.nat() }),
  fc.record({ do: fc.constant('redo'), pick: fc.nat() }),
  fc.record({ do: fc.constant('reverse'), pick: fc.nat() }),
  fc.record({ do: fc.constant('unlock'), pick: fc.nat() }),
  fc.record({ do: fc.constant('scale'), slice, value_incr: amount }),
  fc.record({ do: fc.constant('scale'), slice, value_total: amount, spread: fc.constant('equal') }),
  fc.record({
    do: fc.constant('recode'),
    slice,
    set: fc.record({ Region: region }),
    factor: fc.constantFrom(1, 0.3),
  }),
  fc.record({
    do: fc.constant('clone'),
    slice,
    set: fc.constant({}),
    shift: fc.record({ 'Order Date': fc.constantFrom('1 month', '-1 month', '1 year') }),
  }),
  fc.record({ do: fc.constant('locks'), slice: fc.record({ Region: region }) }),
  fc.record({ do: fc.constant('baseline'), date_offset: fc.constantFrom('1 year', '2 years') }),
);

it('keeps the plan of closed months equal to the source, leaf by leaf, after random changes', async ({
  service,
}) => {
  const { api, query } = service;
  const refusals = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(row(2026), { minLength: 2, maxLength: 8 }),
      fc.array(row(2027), { minLength: 1, maxLength: 8 }),
      fc.array(step, { minLength: 8, maxLength: 14 }),
      async (before, happened, steps) => {
        const plan = await planOfNextYear(service, [...before, ...happened]);
        let closes: Close[] = [];
        const remember = async (answer: { status: number; body: Record<string, unknown> }) => {
          if (answer.status !== 200 || answer.body.through === undefined) return;
          const { logid, from, through } = answer.body as unknown as Close;
          closes.push({ logid, from, through, leaves: await plan.sourceLeaves(from, through) });
        };
        const picked = <Item>(items: readonly Item[], n: number) => items[n % items.length];
        const run = async (asked: (typeof steps)[number]) => {
          const user = { pf_user: 'eve' };
          switch (asked.do) {
            case 'close': {
              const { from, through } = asked as { from: number | null; through: number };
              const last = new Date(Date.UTC(2027, through, 0)).toISOString().slice(0, 10);
              const first = from === null ? {} : { from: `2027-${pad(from)}-01` };
              const answer = await plan.close(last, first);
              await remember(answer);
              return answer;
            }
            case 'restate': {
              const newest = closes.at(-1);
              if (!newest) return undefined;
              const { Sales } = asked as { Sales: number };
              const moved = (by: number) =>
                query(
                  `UPDATE ${plan.source} SET "Sales" = COALESCE("Sales", 0) + ${by}
                   WHERE "Region" = 'A' AND "Order Date" >= '2027-01-01'`,
                );
              await moved(Sales);
              const answer = await plan.close(newest.through, { from: newest.from });
              await remember(answer);
              return answer;
            }
            case 'undo':
            case 'reverse': {
              const { pick } = asked as { pick: number };
              const id = picked(await plan.entries(), pick)?.id;
              if (id === undefined) return undefined;
              return asked.do === 'undo'
                ? api.del(`/log/${String(id)}`)
                : api.post(`/log/${String(id)}/reverse`, user);
            }
            case 'redo': {
              const undone = (await api.get(`${plan.path}/undone`)).body as { logid: number }[];
              const entry = picked(undone, (asked as { pick: number }).pick);
              if (!entry) return undefined;
              const answer = await api.post(`${plan.path}/redo/${entry.logid}`, user);
              await remember(answer);
              return answer;
            }
            case 'unlock': {
              const lock = picked(await plan.locks(), (asked as { pick: number }).pick);
              return lock && api.del(`/locks/${String(lock.id)}`);
            }
            default: {
              const { do: operation, ...body } = asked;
              return plan.post(operation, body);
            }
          }
        };
        for (const asked of steps) {
          const answer = await run(asked);
          if (answer) refusals.set(answer.status, (refusals.get(answer.status) ?? 0) + 1);
          expect(answer?.status ?? 200).toBeLessThan(500);
          const live = new Set((await plan.entries()).map(({ id }) => id));
          closes = closes.filter(({ logid }) => live.has(logid));
          const locks = (await plan.locks()).flatMap(({ logid }) => (logid ? [logid] : []));
          expect(locks.toSorted()).toEqual(closes.map(({ logid }) => logid).toSorted());
          // Each closed day has what its newest close took from the source.
          const days = (leaf: string) => /\d{4}-\d\d-\d\d/.exec(leaf)![0];
          const of = (day: string) =>
            closes.findLast(({ from, through }) => day >= from && day <= through);
          const expected = closes.flatMap((close) =>
            close.leaves.filter((leaf) => of(days(leaf)) === close),
          );
          const stands = await plan.planLeaves('2027-01-01', '2027-12-31');
          expect(stands.filter((leaf) => of(days(leaf))).toSorted()).toEqual(expected.toSorted());
        }
      },
    ),
    { numRuns: 20 },
  );
  // Some steps are accepted, and some are refused because of closed or locked rows.
  for (const status of [200, 201, 409, 422, 423]) {
    expect([status, refusals.get(status) ?? 0]).not.toEqual([status, 0]);
  }
});
