// Random territories, people, operations and undos: nobody changes or sees a row beyond their territories.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../support/cases.js';
import { apiAt, type Answer, type Api } from '../support/http';
import { plan, type Planned, type TableColumn } from '../support/planned';
import { startService, type Service } from '../support/service';
import { SIGNED_IN, signedIn } from '../support/territories';
import { decode, ok } from './contract/orders';

const COLUMNS: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date' },
  { name: 'Region', type: 'text', role: 'dimension' },
  { name: 'Product', type: 'text', role: 'dimension' },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
];
const REGIONS = ['A', 'B', 'C'];
const PRODUCTS = ['x', 'y'];
const ROWS = REGIONS.flatMap((Region, i) =>
  PRODUCTS.map((Product, j) => ({ Day: '2027-01-31', Region, Product, Sales: 10 * i + j + 1 })),
);
const PEOPLE = ['ann', 'bea'];

let service: Service;
let admin: Api;
const person = (user: string, groups = 'planners') => apiAt(service.url, signedIn(user, groups));

beforeAll(async () => {
  service = await startService('service', SIGNED_IN);
  admin = person('eve', 'admins');
});
afterAll(() => service?.stop());

type Part = Record<string, string[]>;
const part = fc.record(
  {
    Region: fc.subarray(REGIONS, { minLength: 1 }),
    Product: fc.subarray(PRODUCTS, { minLength: 1 }),
  },
  { requiredKeys: ['Region'] },
);
const slice = fc.record(
  { Region: fc.constantFrom(...REGIONS), Product: fc.constantFrom(...PRODUCTS) },
  { requiredKeys: [] },
);
const set = fc.record(
  { Region: fc.constantFrom(...REGIONS), Product: fc.constantFrom(...PRODUCTS) },
  { requiredKeys: ['Region'] },
);
const step = fc.record({
  who: fc.constantFrom('eve', ...PEOPLE),
  what: fc.oneof(
    fc.record({ do: fc.constant('scale'), slice, pct: fc.constantFrom(-50, 10, 100) }),
    fc.record({
      ...{ do: fc.constant('scale'), slice, value_incr: fc.constantFrom(-7, 12) },
      spread: fc.constantFrom('proportional', 'equal'),
    }),
    fc.record({ do: fc.constant('recode'), slice, set }),
    fc.record({ do: fc.constant('clone'), slice, set, scale_factor: fc.constant(2) }),
    fc.record({ do: fc.constantFrom('undo', 'reverse', 'redo'), which: fc.nat(20) }),
  ),
});

const conditionOf = (slices: readonly Part[]) =>
  slices.length === 0
    ? 'FALSE'
    : slices
        .map((one) =>
          Object.entries(one)
            .map(([name, values]) => `"${name}" IN (${values.map((v) => `'${v}'`).join(', ')})`)
            .join(' AND '),
        )
        .map((each) => `(${each})`)
        .join(' OR ');

/** A digest of all rows that fulfil a condition. */
async function digestOf({ table }: Planned, condition: string): Promise<string> {
  const [{ digest }] = await service.query(
    `SELECT md5(COALESCE(string_agg(t::text, '|' ORDER BY pf_id), '')) AS digest
     FROM ${table} AS t WHERE ${condition}`,
  );
  return digest;
}

/** Takes a step, and answers the answer; undefined without an entry that it could name. */
async function take(
  api: Api,
  { id, path }: Planned,
  what: { do: string; which?: number } & Record<string, unknown>,
): Promise<Answer | undefined> {
  const { do: operation, which = 0, ...body } = what;
  if (!['undo', 'reverse', 'redo'].includes(operation))
    return api.post(`${path}/${operation}`, body);
  const entries = await service.query(
    operation === 'redo'
      ? `SELECT logid AS id FROM pf.undone WHERE version_id = ${id} ORDER BY logid`
      : `SELECT id FROM pf.log WHERE version_id = ${id} AND operation <> 'baseline' ORDER BY id`,
  );
  if (entries.length === 0) return undefined;
  const { id: logid } = entries[which % entries.length]!;
  if (operation === 'undo') return api.del(`/log/${logid}`);
  if (operation === 'reverse') return api.post(`/log/${logid}/reverse`, {});
  return api.post(`${path}/redo/${logid}`, {});
}

it('nobody changes or sees a row beyond their territories', async () => {
  const reached = { changed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ member: fc.constantFrom(...PEOPLE), read: part, write: fc.option(part) }),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      fc.array(step, { minLength: 4, maxLength: 8 }),
      async (territories, steps) => {
        const version = await plan({ ...service, api: admin }, COLUMNS, ROWS);
        ok(await admin.post(`${version.path}/baseline`));
        for (const territory of territories) {
          ok(await admin.post(`/sources/${version.sourceId}/territories`, territory));
        }
        for (const { who, what } of steps) {
          if (who === 'eve') {
            await take(admin, version, what);
            continue;
          }
          const own = territories.filter(({ member }) => member === who);
          const read = conditionOf(own.map((one) => one.read));
          const write = conditionOf(own.flatMap((one) => (one.write ? [one.write] : [])));
          const beyond = `NOT ((${read}) AND (${write}))`;
          const before = [await digestOf(version, 'TRUE'), await digestOf(version, beyond)];
          const api = person(who);
          const answer = await take(api, version, what);
          if (!answer) continue;
          expect(answer.status).toBeLessThan(500);
          const after = [await digestOf(version, 'TRUE'), await digestOf(version, beyond)];
          expect(after[1]).toBe(before[1]);
          if (answer.status >= 300) expect(after[0]).toBe(before[0]);
          else expect(after[0]).not.toBe(before[0]);
          reached[answer.status < 300 ? 'changed' : 'refused'] += 1;
          if (own.length === 0) {
            expect(answer.status).toBe(404);
            continue;
          }
          const { rows } = decode(ok(await api.get(`${version.path}/data`)).bytes);
          const [{ n }] = await service.query(
            `SELECT count(*) AS n FROM ${version.table} WHERE ${read}`,
          );
          expect(rows.length).toBe(n);
          if (answer.status < 300 && Array.isArray(answer.body)) {
            const known = new Set(rows.map((row) => Number(row.pf_id)));
            for (const { pf_id } of answer.body) expect(known).toContain(Number(pf_id));
          }
        }
      },
    ),
    { numRuns: cases(16), endOnFailure: true },
  );
  expect(reached.changed).toBeGreaterThan(5);
  expect(reached.refused).toBeGreaterThan(5);
});
