import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Review, ReviewState } from '../../src/lib/contract/reviews';
import { it, makePlan, ok } from './contract/orders';
import { cases } from '../support/cases.js';

/** What a person does with one of two reviews, whose slices overlap, or with rows. Null is who may take the step. */
type Move = { who: string | null; review: 0 | 1; do: string };

const PEOPLE = ['ann', 'bea', 'cem', 'dora'];

/** The states of a review, written down apart from the service: who takes which step to which state. */
const MODEL: Record<string, { from: ReviewState[]; to: ReviewState; by: 'owner' | 'reviewer' }> = {
  submit: { from: ['open', 'returned', 'reopened'], to: 'submitted', by: 'owner' },
  return: { from: ['submitted'], to: 'returned', by: 'reviewer' },
  approve: { from: ['submitted'], to: 'approved', by: 'reviewer' },
  reopen: { from: ['approved'], to: 'reopened', by: 'reviewer' },
};

const REVIEWS = [
  { slice: { region: 'North' }, owner: 'ann', reviewers: ['bea'] },
  { slice: { 'sub-category': ['Chairs', 'Tables'] }, owner: 'cem', reviewers: ['ann', 'dora'] },
];

/** Rows that writes are about, and which of the reviews hold some of them. */
const ROWS = [
  { slice: { region: 'North' }, in: [0, 1] },
  { slice: { region: 'East' }, in: [1] },
  { slice: { 'sub-category': 'Lamps' }, in: [] },
];

const move: fc.Arbitrary<Move> = fc.record({
  who: fc.option(fc.constantFrom(...PEOPLE), { freq: 2 }),
  review: fc.constantFrom(0 as const, 1 as const),
  do: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...Object.keys(MODEL)) },
    { weight: 2, arbitrary: fc.constantFrom('write 0', 'write 1', 'write 2', 'undo') },
  ),
});

describe('reviews', () => {
  it('follow a model of their states, and hold rows exactly as it says', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 20, maxLength: 40 }), async (moves) => {
        const { path, table } = await makePlan(service, sourceId);
        const made: Review[] = [];
        for (const body of REVIEWS) {
          made.push(ok(await api.post(`${path}/reviews`, { ...body, pf_user: body.owner })).body);
        }
        const states: ReviewState[] = ['open', 'open'];
        const taken: string[][] = [['open'], ['open']];
        const holds = (review: number, who: string) =>
          states[review] === 'approved' ||
          (states[review] === 'submitted' && !REVIEWS[review]!.reviewers.includes(who));
        const written: { logid: number; in: number[] }[] = [];
        const rows = () => service.query(`SELECT count(*) AS n, sum(amount) AS sum FROM ${table}`);
        for (const [i, { who: somebody, review, do: what }] of moves.entries()) {
          const rule = MODEL[what];
          const { owner, reviewers } = REVIEWS[review]!;
          const who = somebody ?? (rule?.by === 'reviewer' ? reviewers.at(-1)! : owner);
          const user = { pf_user: who };
          const before = await rows();
          let status: number;
          if (rule) {
            ({ status } = await api.post(`/reviews/${made[review]!.id}/${what}`, user));
            const isPossible = rule.from.includes(states[review]!);
            const isAllowed = rule.by === 'owner' ? who === owner : reviewers.includes(who);
            expect(status).toBe(!isPossible ? 409 : !isAllowed ? 403 : 200);
            if (status === 200) {
              states[review] = rule.to;
              taken[review]!.push(what);
            }
          } else if (what === 'undo') {
            const entry = written.pop();
            if (!entry) continue;
            const answer = await api.send(`/log/${entry.logid}`, {
              method: 'DELETE',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(user),
            });
            ({ status } = answer);
            expect(status).toBe(entry.in.some((each) => holds(each, who)) ? 423 : 200);
            if (status === 423) written.push(entry);
          } else {
            const { slice, in: reviews } = ROWS[Number(what.at(-1))]!;
            const answer = await api.post(`${path}/clone`, {
              ...{ ...user, slice, set: { select: `made ${i}` } },
            });
            ({ status } = answer);
            expect(status).toBe(reviews.some((each) => holds(each, who)) ? 423 : 200);
            if (status === 200) {
              written.push({ logid: Number(answer.body[0].pf_logid), in: reviews });
            }
          }
          if (status !== 200) expect(await rows()).toEqual(before);
          const outcome = `${what.split(' ')[0]} ${status}`;
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        }
        const reviews: Review[] = ok(await api.get(`${path}/reviews`)).body;
        expect(reviews.map(({ state }) => state)).toEqual(states);
        expect(reviews.map(({ steps }) => steps.map(({ step }) => step))).toEqual(taken);
        for (const [i, { steps, changed }] of reviews.entries()) {
          const approved = steps.findLast(({ step }) => step === 'approve');
          if (!changed || !approved) continue;
          const [key, wanted] = Object.entries(REVIEWS[i]!.slice)[0]!;
          const [{ sum }] = await service.query(
            `SELECT coalesce(sum(amount), 0) AS sum FROM ${table} WHERE "${key}" = ANY ($1)`,
            [[wanted].flat()],
          );
          const then = approved.totals!.value_total!;
          expect(changed.value_total).toBeCloseTo(Number(sum) - then, 9);
        }
      }),
      { numRuns: cases(12) },
    );
    // Checks that the cases cover every outcome.
    for (const outcome of [
      ...Object.keys(MODEL).flatMap((name) => [`${name} 200`, `${name} 403`, `${name} 409`]),
      ...['write 200', 'write 423', 'undo 200', 'undo 423'],
    ]) {
      expect([outcome, seen.get(outcome) ?? 0]).not.toEqual([outcome, 0]);
    }
  });
});
