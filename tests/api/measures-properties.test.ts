// Random sources with one to six measures: docs/contract/14-what-the-operations-compute.md#totals-are-exact.
import fc from 'fast-check';
import { expect } from 'vitest';
import { it } from '../support/api';
import { cases } from '../support/cases.js';
import { bytes, plan, type SourceRow, type TableColumn } from '../support/planned';
import type { Service } from '../support/service';

const TYPES = ['integer', 'numeric(12,2)', 'numeric(14,4)', 'numeric', 'double precision'];
const REGIONS = ['North', 'South', null];

/** Roles and types of one to six measures, their amounts by row, and steps with a number for each measure. */
const randomCases = fc
  .record({
    types: fc.array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 6 }),
    hasValue: fc.boolean(),
    hasUnits: fc.boolean(),
    count: fc.integer({ min: 1, max: 12 }),
  })
  .chain(({ types, hasValue, hasUnits, count }) =>
    fc.record({
      types: fc.constant(types),
      roles: fc.constant(
        types.map((_, i) =>
          i === 0 && hasValue ? 'value' : i === 1 && hasUnits ? 'units' : 'measure',
        ),
      ),
      rows: fc.array(
        fc.record({
          region: fc.constantFrom(...REGIONS),
          day: fc.integer({ min: 1, max: 28 }),
          amounts: fc.array(fc.option(fc.integer({ min: 1, max: 99_999 })), {
            minLength: types.length,
            maxLength: types.length,
          }),
        }),
        { minLength: count, maxLength: count },
      ),
      steps: fc.array(
        fc.record({
          do: fc.constantFrom('scale', 'pct', 'total', 'equal', 'import', 'recode', 'clone'),
          region: fc.constantFrom('North', 'South', undefined),
          numbers: fc.array(fc.integer({ min: 1, max: 9999 }), {
            minLength: types.length,
            maxLength: types.length,
          }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  );
type Case = typeof randomCases extends fc.Arbitrary<infer T> ? T : never;

const nameOf = (i: number) => (i % 2 === 0 ? `m "${i}"` : `measure_${i}_up_to`);

async function prepare(service: Service, { types, roles, rows }: Case) {
  const columns: TableColumn[] = [
    { name: 'Region', type: 'text', role: 'dimension' },
    ...types.map((type, i): TableColumn => ({ name: nameOf(i), type, role: roles[i] as 'value' })),
    { name: 'Day', type: 'date', role: 'date' },
  ];
  const decimals = (type: string) =>
    type === 'integer' ? 0 : Number(/,(\d)/.exec(type)?.[1] ?? 2);
  const source = rows.map(({ region, day, amounts }): SourceRow => {
    const own = amounts.map((amount, i) => [
      nameOf(i),
      amount === null ? null : amount / 10 ** decimals(types[i]!),
    ]);
    return {
      Region: region,
      Day: `2027-01-${String(day).padStart(2, '0')}`,
      ...Object.fromEntries(own),
    };
  });
  const planned = await plan(service, columns, source);
  const must = async (path: string, body: object) => {
    const answer = await service.api.post(`${planned.path}/${path}`, { pf_user: 'ann', ...body });
    return { status: answer.status, body: answer.body };
  };
  expect((await must('baseline', {})).body.error).toBeUndefined();
  /** The sum of a measure by SQL, as text, over rows of a condition. */
  const sum = async (i: number, of = 'sum(x)', where = 'TRUE') => {
    const [row] = await service.query<{ text: string }>(
      `SELECT (${of})::text AS text FROM (SELECT coalesce("${nameOf(i).replaceAll('"', '""')}", 0)::${
        types[i] === 'double precision' ? 'double precision' : 'numeric'
      } AS x FROM ${planned.table} WHERE ${where}) AS rows`,
    );
    return row!.text;
  };
  return { ...planned, must, sum };
}

/** The field of a change of a measure, and of its answer. */
const change = (role: string, name: string, kind: string, amount: number) =>
  role === 'measure'
    ? { measures: { [name]: { [kind]: amount } } }
    : { [`${role}_${kind}`]: amount };

it('keep the totals of one to six measures exact, and reverse and undo take nothing else', async ({
  service,
}) => {
  await fc.assert(
    fc.asyncProperty(randomCases, async (made) => {
      const { types, roles, steps } = made;
      const { must, sum, table, path, ...planned } = await prepare(service, made);
      for (const step of steps) {
        const slice = step.region === undefined ? {} : { Region: step.region };
        const where = step.region === undefined ? 'TRUE' : `"Region" = '${step.region}'`;
        const before = await bytes(service, { table, path, ...planned });
        const known = await Promise.all(types.map((_, i) => sum(i, 'coalesce(sum(x), 0)', where)));
        const factor = step.numbers[0]! / 10_000;
        const amounts = types.map((type, i) =>
          type === 'integer' ? step.numbers[i]! : step.numbers[i]! / 4,
        );
        const changes = types.map((_, i) =>
          change(
            roles[i]!,
            nameOf(i),
            step.do === 'total' || (step.do === 'import' && i % 2 === 0) ? 'total' : 'incr',
            amounts[i]!,
          ),
        );
        const merged = {
          ...Object.assign({}, ...changes),
          measures: Object.assign(
            {},
            ...changes.map((each) => ('measures' in each ? each.measures : {})),
          ),
        };
        const file = { name: 'plan.xlsx', sha256: '0'.repeat(64) };
        const bodies = {
          import: ['import', { file, edits: [{ slice, ...merged }] }],
          scale: ['scale', { slice, ...merged }],
          total: ['scale', { slice, ...merged }],
          equal: ['scale', { slice, ...merged, spread: 'equal' }],
          pct: ['scale', { slice, pct: step.numbers[0]! / 100 }],
          recode: ['recode', { slice, set: { Region: 'Moved' }, factor }],
          clone: ['clone', { slice, set: { Region: 'Copy' }, scale_factor: factor }],
        } as const;
        const [operation, body] = bodies[step.do];
        const { status, body: answer } = await must(operation, body);
        if (status === 422) {
          // Nothing to spread over, or nothing that would change.
          expect(await bytes(service, { table, path, ...planned })).toEqual(before);
          continue;
        }
        expect([status, answer.error]).toEqual([200, undefined]);
        const [entry] = (await service.api.get(`${path}/log`)).body.entries;
        const own = `pf_logid = ${entry.id}`;
        for (const [i, type] of types.entries()) {
          const size = await sum(i, 'coalesce(sum(abs(x)), 0) + 1');
          const wanted = {
            scale: `${amounts[i]}`,
            equal: `${amounts[i]}`,
            import: `${amounts[i]}${i % 2 === 0 ? ` - ${known[i]}` : ''}`,
            total: `${amounts[i]} - ${known[i]}`,
            pct: `${step.numbers[0]} / 10000.0 * ${known[i]}`,
            recode: '0',
            clone: `${step.numbers[0]} / 10000.0 * ${known[i]}`,
          }[step.do];
          const scale =
            type === 'integer'
              ? 0
              : (/,(\d)/.exec(type)?.[1] ?? `greatest(2, coalesce(max(scale(x)), 0))`);
          const isExact = type !== 'double precision';
          const got = await sum(i, 'coalesce(sum(x), 0)', own);
          const fits = isExact
            ? `${got}::numeric = round((${wanted})::numeric, ${scale})`
            : `abs(${got}::double precision - (${wanted})) <= 1e-9 * ${size}`;
          expect([
            step.do,
            i,
            type,
            got,
            wanted,
            await sum(i, fits, isExact ? `(${where}) OR ${own}` : own),
          ]).toEqual([...[step.do, i, type, got, wanted, 'true']]);
          const total =
            roles[i] === 'measure' ? entry.measures[nameOf(i)] : entry[`${roles[i]}_total`];
          expect(total).toBeCloseTo(Number(got), 6);
        }
        const after = await bytes(service, { table, path, ...planned });
        // Another connection may write the entry with smaller ids than the rows before.
        expect(after).toEqual(expect.arrayContaining(before));
        // A reverse takes back what the entry added, in every measure.
        const reversed = await service.api.post(`/log/${entry.id}/reverse`, {
          ...{ slice: {}, pf_user: 'ann' },
        });
        expect([reversed.status, reversed.body.error]).toEqual([200, undefined]);
        const [reverse] = (await service.api.get(`${path}/log`)).body.entries;
        for (const [i, type] of types.entries()) {
          const left = await sum(
            i,
            type === 'double precision'
              ? 'abs(coalesce(sum(x), 0)) <= 1e-9 * (coalesce(sum(abs(x)), 0) + 1)'
              : 'coalesce(sum(x), 0) = 0',
            `${own} OR pf_logid = ${reverse.id}`,
          );
          expect([step.do, i, left]).toEqual([step.do, i, 'true']);
        }
        await service.api.del(`/log/${reverse.id}`);
        await service.api.del(`/log/${entry.id}`);
        expect(await bytes(service, { table, path, ...planned })).toEqual(before);
        await must(`redo/${entry.id}`, {});
        const [redone] = (await service.api.get(`${path}/log`)).body.entries;
        expect(redone).toMatchObject({
          row_count: entry.row_count,
          ...(entry.measures && { measures: entry.measures }),
        });
      }
    }),
    { numRuns: cases(10) },
  );
});
