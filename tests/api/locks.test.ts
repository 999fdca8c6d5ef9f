import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { add, parse, show, sum, type Fraction } from '../support/exact';
import { inSlice, type Slice } from '../support/model';
import { plan, stored, type Planned, type StoredRow } from '../support/planned';
import { startService, type Service } from '../support/service';
import { cases } from '../support/cases.js';

/** Locked rows keep their totals under every operation (docs/contract/19-planning-together.md#locks). */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const REGIONS = ['N', 'S', null];
const PRODUCTS = ['x', 'y', 'z'];
const DATES = ['2026-01-31', '2026-02-28', '2026-03-31', null];

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });

const slice: fc.Arbitrary<Slice> = fc
  .record({
    Region: optional(
      fc.oneof(
        fc.constantFrom(...REGIONS),
        fc.uniqueArray(fc.constantFrom(...REGIONS), { minLength: 1 }),
      ),
    ),
    Product: optional(fc.constantFrom(...PRODUCTS)),
    Day: optional(
      fc.oneof(
        fc.constantFrom(...DATES),
        fc.constantFrom({ to: '2026-02-28' }, { from: '2026-02-01', to: '2026-03-01' }),
      ),
    ),
  })
  .map((picked) => JSON.parse(JSON.stringify(picked)) as Slice);

const amount = fc.integer({ min: -5000, max: 5000 }).map((n) => n / 100);

type Step =
  | { do: 'clear' }
  | { do: 'lock'; slice: Slice }
  | { do: 'unlock' | 'undo' | 'redo'; which: number }
  | { do: 'scale'; slice: Slice; value_incr: number; hold: Slice[]; spread: string }
  | { do: 'percent'; slice: Slice; pct: number; hold: Slice[] }
  | { do: 'recode' | 'clone'; slice: Slice; set: object }
  | { do: 'baseline' | 'reference'; region: string }
  | { do: 'edit'; which: number; region: string };

const hold = fc.array(slice, { maxLength: 2 });
const which = fc.nat(20);
const set = fc.record(
  { Region: fc.constantFrom(...REGIONS), Product: fc.constantFrom(...PRODUCTS) },
  { requiredKeys: [] },
);
const spread = fc.constantFrom('proportional', 'equal');
const region = fc.constantFrom('N', 'S');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('lock' as const), slice }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('scale' as const),
      slice,
      value_incr: amount,
      hold,
      spread,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('percent' as const), slice, pct: amount, hold }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('recode' as const, 'clone' as const), slice, set }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('baseline' as const, 'reference' as const),
      region,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('undo' as const, 'redo' as const, 'unlock' as const),
      which,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), which, region }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const) }) },
);

/** Runs one step. @returns its status; undefined if there is nothing to run it on */
async function make(v: Planned, made: Step): Promise<number | undefined> {
  const { api } = service;
  const user = { pf_user: 'ann' };
  const pick = async <T>(path: string, index: number): Promise<T | undefined> => {
    const { body } = await api.get(path);
    const list = (path.endsWith('/log') ? body.entries : body) as T[];
    return list[index % Math.max(list.length, 1)];
  };
  const send = async (path: string, body: object) =>
    (await api.post(`${v.path}/${path}`, { ...user, ...body })).status;
  switch (made.do) {
    case 'lock':
      return send('locks', { slice: made.slice });
    case 'unlock': {
      const lock = await pick<{ id: number }>(`${v.path}/locks`, made.which);
      return lock && (await api.del(`/locks/${lock.id}`)).status;
    }
    case 'undo': {
      const entry = await pick<{ id: number }>(`${v.path}/log`, made.which);
      return entry && (await api.del(`/log/${entry.id}`)).status;
    }
    case 'redo': {
      const entry = await pick<{ logid: number }>(`${v.path}/undone`, made.which);
      return entry && send(`redo/${entry.logid}`, {});
    }
    case 'edit': {
      const entry = await pick<{ id: number }>(`${v.path}/log`, made.which);
      const body = { ...user, raw_where: `"Region" = '${made.region}'` };
      return entry && (await api.put(`${v.path}/baseline/${entry.id}`, body)).status;
    }
    case 'clear':
      return (await api.del(`${v.path}/baseline`)).status;
    case 'percent':
    case 'scale': {
      const { do: _, ...body } = made;
      return send('scale', body);
    }
    case 'recode':
    case 'clone': {
      const { do: operation, ...body } = made;
      return send(operation, body);
    }
    default:
      return send(made.do, { raw_where: `"Region" = '${made.region}'` });
  }
}

/** Returns the sum of rows. */
const total = (rows: readonly StoredRow[]): Fraction => sum(rows.map((row) => row.value!.at));

/** Returns the sums of a slice's rows by leaf, without leaves of zero. */
function leaves({ shape }: Planned, rows: readonly StoredRow[], slice: Slice): string[] {
  const byLeaf = new Map<string, Fraction>();
  for (const row of rows) {
    if (!inSlice(row, slice, shape)) continue;
    const leaf = JSON.stringify([row.keys, row.iter === 'reference']);
    byLeaf.set(leaf, add(byLeaf.get(leaf) ?? parse('0'), row.value!.at));
  }
  return [...byLeaf]
    .map(([leaf, at]) => `${leaf} ${show(at)}`)
    .filter((line) => !line.endsWith(' 0'))
    .toSorted();
}

describe('locks, holds and operations', () => {
  it('leave every locked leaf unchanged, and reach the requested total', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            Region: fc.constantFrom(...REGIONS),
            Product: fc.constantFrom(...PRODUCTS),
            Day: fc.constantFrom(...DATES),
            Sales: fc.integer({ min: 1, max: 20_000 }).map((n) => n / 100),
          }),
          { minLength: 3, maxLength: 12 },
        ),
        fc.array(step, { minLength: 4, maxLength: 10 }),
        async (rows, steps) => {
          const v = await plan(
            service,
            [
              { name: 'Region', type: 'text', role: 'dimension' },
              { name: 'Product', type: 'text', role: 'dimension' },
              { name: 'Day', type: 'date', role: 'date' },
              { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
            ],
            rows,
          );
          await service.api.post(`${v.path}/baseline`, { pf_user: 'ann' });
          let before = await stored(service, v);
          for (const made of steps) {
            const locks = (await service.api.get(`${v.path}/locks`)).body as { slice: Slice }[];
            const status = await make(v, made);
            if (status === undefined) continue;
            const outcome = `${made.do} ${status}`;
            seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
            expect(outcome).toMatch(/ (200|201|204|409|422|423)$/);
            const after = await stored(service, v);
            for (const lock of locks) {
              expect(leaves(v, after, lock.slice)).toEqual(leaves(v, before, lock.slice));
            }
            if (status >= 400) {
              expect(after.map(({ plain }) => plain)).toEqual(before.map(({ plain }) => plain));
            } else if (made.do === 'scale') {
              const risen = add(total(before), parse(String(made.value_incr)));
              expect(show(total(after))).toBe(show(risen));
            }
            before = after;
          }
        },
      ),
      { numRuns: cases(16) },
    );
    // Checks that the cases cover every outcome.
    for (const outcome of ['scale 200', 'recode 200', 'clone 200', 'recode 423', 'undo 423']) {
      expect([outcome, seen.get(outcome) ?? 0]).not.toEqual([outcome, 0]);
    }
  });
});
