import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Iter } from '../../contract/operations';
import { AnsweredRows, fitted, typesOf, whyApart, wideColumns } from '../rows/rows';
import type { CellValue, Schema, Table } from '../values/engine-types';
import { defaultLayout, renamed, withOther, withoutOther } from '../layout/layout';
import { Origins } from '../rows/origins';
import { columnsIn, encoded } from '../rows/arrow-columns';
import { ViewReader } from './view-reader';
import {
  awkwardRows,
  bytesOf,
  COLUMNS,
  SCHEMA,
  tableFrom,
  type Row,
} from '../../../../tests/support/pivot-tables';

const MEASURES = ['value', 'units'];
const ITERS: Iter[] = ['baseline', 'reference', 'scale', 'recode', 'clone'];
const INTEGERS: Schema = { ...SCHEMA, pf_logid: 'integer' };
/** Keys and sizes beyond 32 bits, as the service sends them. */
const WIDE: Schema = { ...INTEGERS, pf_id: 'float', size: 'float' };
const NAME = 'Plan 2027: cautious';

/** The rows of one version, by the log entries that wrote them: loaded, or written later. */
interface Written {
  loaded: Row[];
  later: Row[];
  undone: ReadonlySet<number>;
  excluded: Iter[];
  schema: Schema;
}

/** Log entries with odd numbers belong to one version, those with even numbers to the other. */
const written = (parity: 0 | 1): fc.Arbitrary<Written> =>
  fc
    .record({
      loaded: fc.array(fc.constantFrom(...ITERS), { minLength: 1, maxLength: 40 }),
      later: fc.array(fc.constantFrom(...ITERS), { maxLength: 10 }),
      undone: fc.subarray([0, 1, 2, 3, 4]),
      excluded: fc.subarray(ITERS),
      schema: fc.constantFrom(INTEGERS, WIDE),
    })
    .map(({ loaded, later, undone, excluded, schema }) => {
      const first = schema === WIDE ? 2 ** 31 : 0;
      // The keys of both versions start at 1.
      const rows = awkwardRows(loaded.length + later.length, 7 + parity).map((row, i): Row => ({
        ...row,
        pf_id: first + i + 1,
        pf_iter: [...loaded, ...later][i] ?? '',
        pf_logid: (i % 5) * 2 + parity + 1,
        size: schema === WIDE && row.size !== null ? Number(row.size) + 0.5 : (row.size ?? null),
      }));
      return {
        loaded: rows.slice(0, loaded.length),
        later: rows.slice(loaded.length),
        undone: new Set(undone.map((i) => i * 2 + parity + 1)),
        excluded,
        schema,
      };
    });

const sumOf = (
  { loaded, later, undone, excluded }: Written,
  measure: string,
  region: CellValue[],
) =>
  [...loaded, ...later]
    .filter((row) => !undone.has(Number(row.pf_logid)) && !excluded.some((i) => i === row.pf_iter))
    .filter((row) => region.length === 0 || row.region === region[0])
    .reduce((sum, row) => sum + Number(row[measure]), 0);

async function removeEntry(table: Table, logid: number) {
  const view = await table.view({ columns: ['pf_id'], filter: [['pf_logid', '==', logid]] });
  const { pf_id: keys = [] } = JSON.parse(await view.to_columns_string()) as { pf_id?: number[] };
  await view.delete();
  if (keys.length > 0) await table.remove(keys);
}

const otherOf = ({ excluded }: Written, own: Schema, schema: Schema) => ({
  id: 2,
  name: NAME,
  excluded,
  wide: wideColumns(own, [schema]),
});

describe('two versions in one table', () => {
  it('have separate sums and differences, through any changes and undos in either', async () => {
    await fc.assert(
      fc.asyncProperty(written(0), written(1), async (own, other) => {
        const { columns, origins } = Origins.prepare(
          columnsIn(bytesOf(own.loaded, own.schema)),
          MEASURES,
          own.excluded,
          otherOf(other, own.schema, other.schema),
        );
        const table = (await tableFrom(encoded(columns))) as unknown as Table;
        const columnsOf = (rows: Row[], of: Schema) => new AnsweredRows(bytesOf(rows, of)).columns;
        await table.update(encoded(origins.extendOther(columnsOf(other.loaded, other.schema))));
        const schema = origins.loaded(await table.schema());
        const fittedRows = ({ later, schema: of }: Written) =>
          fitted(columnsOf(later, of), schema, 'pf_id');
        if (own.later.length > 0) await table.update(encoded(origins.extend(fittedRows(own))));
        if (other.later.length > 0) {
          await table.update(encoded(origins.extendOther(fittedRows(other))));
        }
        for (const logid of own.undone) await removeEntry(table, logid);
        for (const logid of other.undone) await removeEntry(table, -logid);

        const count = ({ loaded, later, undone }: Written) =>
          [...loaded, ...later].filter((row) => !undone.has(Number(row.pf_logid))).length;
        expect(await table.size()).toBe(count(own) + count(other));

        for (const measure of MEASURES) {
          const names = [
            measure,
            `${measure}: ${NAME}`,
            `${measure}: Δ to ${NAME}`,
            `${measure}: Δ % to ${NAME}`,
          ];
          const view = await table.view({ group_by: ['region'], columns: names });
          const reader = await ViewReader.open(table, view, {}, { ratios: origins.ratios });
          for (const [y, path] of (await reader.rowPaths(0)).entries()) {
            const [plan, others] = [own, other].map((each) => sumOf(each, measure, path)) as [
              number,
              number,
            ];
            const shown = await Promise.all(
              names.map(
                async (_, x) => (await reader.columnValues(x, { start_row: y, end_row: y + 1 }))[0],
              ),
            );
            expect(shown[0] ?? 0).toBeCloseTo(plan, 6);
            expect(shown[1] ?? 0).toBeCloseTo(others, 6);
            expect(shown[2] ?? 0).toBeCloseTo(plan - others, 6);
            if (Math.abs(others) < 1e-6) expect(shown[3]).toBeNull();
            else expect(shown[3]).toBeCloseTo((plan - others) / Math.abs(others), 6);
          }
          await reader.dispose();
          await view.delete();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('keep the other values of the rows, including empty values and fractions', async () => {
    const own = awkwardRows(30).map((row): Row => ({ ...row, pf_logid: 1 }));
    const other = awkwardRows(30, 11).map((row): Row => ({
      ...row,
      pf_logid: 2,
      size: row.size === null ? null : Number(row.size) + 0.25,
    }));
    const schema: Schema = { ...INTEGERS, size: 'float' };
    const { columns, origins } = Origins.prepare(columnsIn(bytesOf(own, INTEGERS)), MEASURES, [], {
      id: 2,
      name: NAME,
      excluded: [],
      wide: wideColumns(INTEGERS, [schema]),
    });
    const table = (await tableFrom(encoded(columns))) as unknown as Table;
    const { columns: others } = new AnsweredRows(bytesOf(other, schema));
    await table.update(encoded(origins.extendOther(others)));
    for (const [rows, sign] of [
      [own, '>'],
      [other, '<'],
    ] as const) {
      const columns = ['region', 'sub-category', 'flag', 'size', 'rate'];
      const view = await table.view({ columns, filter: [['pf_logid', sign, 0]] });
      const read = JSON.parse(await view.to_columns_string()) as Record<string, CellValue[]>;
      for (const name of columns) expect(read[name]).toEqual(rows.map((row) => row[name]));
      await view.delete();
    }
  });
});

describe('the columns of another version', () => {
  const rows = awkwardRows(5).map((row): Row => ({ ...row, pf_logid: 1 }));
  const originsFor = (name: string) =>
    Origins.prepare(columnsIn(bytesOf(rows, INTEGERS)), MEASURES, ['reference'], {
      id: 12,
      name,
      excluded: [],
      wide: new Set(),
    }).origins;
  const namesOf = (origins: Origins) =>
    origins
      .columnsOf('value')
      .filter(({ origin }) => origin.startsWith('other'))
      .map(({ name }) => name);

  it.each([
    ['Plan 2027, cautious', 'Plan 2027, cautious'],
    ['Plan: Δ', 'Plan: Δ'],
    ['baseline', 'baseline (version 12)'],
    ['Δ', 'Δ (version 12)'],
    ['Δ %', 'Δ % (version 12)'],
  ])('are named after it: %s', (name, heading) => {
    expect(namesOf(originsFor(name))).toEqual([
      `value: ${heading}`,
      `value: Δ to ${heading}`,
      `value: Δ % to ${heading}`,
    ]);
  });

  it('are placed next to the plan, keep their place when renamed, and disappear with the comparison', () => {
    const [before, after] = [originsFor('Old'), originsFor('New')];
    const none = Origins.prepare(columnsIn(bytesOf(rows, INTEGERS)), MEASURES, []).origins;
    const layout = { group_by: ['region'], columns: ['units', 'value'] };
    const compared = withOther(layout, before);
    const of = (name: string) => [`units: ${name}`, `units: Δ to ${name}`, `units: Δ % to ${name}`];
    expect(compared.columns).toEqual(['units', ...of('Old'), 'value']);
    expect(withOther(compared, before)).toBe(compared);
    const sorted = {
      ...compared,
      sort: [['units: Old', 'desc'] as [string, string]],
      columns_config: { 'units: Old': {}, units: {} },
    };
    expect(renamed(sorted, after.renamings(before))).toMatchObject({
      columns: ['units', ...of('New'), 'value'],
      sort: [['units: New', 'desc']],
      columns_config: { 'units: New': {}, units: {} },
    });
    const without = renamed(sorted, none.renamings(before));
    expect(without).toMatchObject({ ...layout, sort: [] });
    expect(without.columns_config).toEqual({ units: {} });
    expect(withOther(layout, none)).toBe(layout);
    expect(withoutOther(sorted, before)).toEqual(without);
  });

  it('come first in a default layout, also with a reference', () => {
    const columns = COLUMNS.map((column) => ({ ...column, label: null })) as never;
    expect(defaultLayout(columns, INTEGERS, new Map(), originsFor('Other')).columns).toEqual([
      'value',
      'value: Other',
      'value: Δ to Other',
      'value: Δ % to Other',
    ]);
  });
});

describe('a version that cannot be compared', () => {
  it('is reported with the column or the grain that differs', () => {
    expect(whyApart(INTEGERS, INTEGERS, NAME)).toBeNull();
    expect(whyApart(INTEGERS, WIDE, NAME)).toBeNull();
    expect(typesOf(columnsIn(bytesOf(awkwardRows(2))))).toEqual(SCHEMA);
    const { region, pf_id, ...rest } = SCHEMA;
    expect([region, pf_id]).toEqual(['string', 'integer']);
    expect(whyApart(SCHEMA, { ...rest, pf_id }, NAME)).toMatch(/has no column “region”/);
    expect(whyApart({ ...rest, pf_id }, SCHEMA, NAME)).toMatch(/has a column “region” that/);
    expect(whyApart(SCHEMA, { ...SCHEMA, region: 'date' }, NAME)).toMatch(/“region” holds values/);
    expect(whyApart(SCHEMA, { ...rest, region, pf_gkey: 'string' }, NAME)).toMatch(/another grain/);
  });
});
