// Tests replays of docs/contract/19-planning-together.md with random histories.
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { it, makePlan, ok } from './orders';
import { logOf, replayed, leavesOf, totals, user } from './replays';
import { cases } from '../../support/cases.js';

describe('A history on unchanged data', () => {
  const region = fc.constantFrom('North', 'South', 'East', null, '');
  const slice = fc.oneof(
    fc.constant({}),
    fc.record({ region }),
    fc.record({ 'sub-category': fc.constantFrom('Chairs', 'Tables', 'Lamps') }),
    fc.record({ region: fc.array(region, { minLength: 1, maxLength: 3 }) }),
    fc.constant({ 'Order Date': { from: '2026-02-01', to: '2026-04-30' } }),
  );
  const amount = fc.integer({ min: -9999, max: 9999 }).map((cents) => cents / 100);
  const set = fc.oneof(fc.record({ region }), fc.constant({ 'Order Date': '2027-03-31' }));
  const load = fc.record({
    operation: fc.constantFrom('baseline', 'reference'),
    body: fc.record({
      raw_where: fc.constantFrom('TRUE', `channel = 'web'`, `pieces > 1`),
      date_offset: fc.constantFrom('0 days', '1 year', '1 month'),
    }),
  });
  const change = fc.oneof(
    fc.record({
      operation: fc.constant('scale'),
      body: fc.oneof(
        fc.record({ slice, pct: amount }),
        fc.record({ slice, value_incr: amount, units_incr: fc.integer({ min: -9, max: 9 }) }),
        fc.record({ slice, value_incr: amount, spread: fc.constant('equal') }),
        fc.record({ slice, value_incr: amount, hold: fc.array(slice, { maxLength: 1 }) }),
        fc.record({
          edits: fc.array(fc.record({ slice, value_incr: amount }), { minLength: 1, maxLength: 3 }),
        }),
      ),
    }),
    fc.record({ operation: fc.constant('recode'), body: fc.record({ slice, set }) }),
    fc.record({
      operation: fc.constant('clone'),
      body: fc.record({ slice, set, scale_factor: amount }),
    }),
  );

  it('gives the same results when it is replayed, entry by entry and leaf by leaf', async ({
    service,
    sourceId,
  }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(load, { minLength: 1, maxLength: 2 }),
        fc.array(fc.tuple(change, fc.boolean()), { minLength: 1, maxLength: 7 }),
        async (loads, changes) => {
          const { path, versionId } = await makePlan(service, sourceId);
          for (const { operation, body } of loads) {
            ok(await service.api.post(`${path}/${operation}`, { ...user, ...body }));
          }
          for (const [{ operation, body }, isUndone] of changes) {
            const { status, body: rows } = await service.api.post(`${path}/${operation}`, {
              ...user,
              ...body,
            });
            // An entry that is undone immediately is not the base of another one.
            if (status === 200 && isUndone) ok(await service.api.del(`/log/${rows[0].pf_logid}`));
          }
          const { version, entries } = await replayed(service, path);
          expect(totals(entries)).toEqual(
            totals((await logOf(service, path)).entries.toReversed()),
          );
          const leaves = await leavesOf(service, 'orders', versionId);
          expect(await leavesOf(service, 'orders', version.id)).toEqual(leaves);
        },
      ),
      { numRuns: cases(10) },
    );
  });
});
