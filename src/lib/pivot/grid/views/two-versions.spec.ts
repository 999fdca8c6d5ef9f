import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Iter } from '../../../contract/operations';
import { AnsweredRows, fitted, typesOf, whyApart, wideColumns } from '../../rows/rows';
import type { CellValue, Schema, Table } from '../../values/engine-types';
import { defaultLayout, renamed, withOthers, withoutOthers } from '../../layout/layout';
import { Origins } from '../../rows/origins';
import { columnsIn, encoded } from '../../rows/arrow-columns';
import { ViewReader } from './view-reader';
import {
  awkwardRows,
  bytesOf,
  COLUMNS,
  SCHEMA,
  tableFrom,
  type Row,
} from '../../../../../tests/support/pivot-tables';

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
          [otherOf(other, own.schema, other.schema)],
        );
        const table = (await tableFrom(encoded(columns))) as unknown as Table;
        const columnsOf = (rows: Row[], of: Schema) => new AnsweredRows(bytesOf(rows, of)).columns;
        await table.update(encoded(origins.extendOther(columnsOf(other.loaded, other.schema), 2)));
        const schema = origins.loaded(await table.schema());
        const fittedRows = ({ later, schema: of }: Written) =>
          fitted(columnsOf(later, of), schema, 'pf_id');
        if (own.later.length > 0) await table.update(encoded(origins.extend(fittedRows(own))));
        if (other.later.length > 0) {
          await table.update(encoded(origins.extendOther(fittedRows(other), 2)));
        }
        for (const logid of own.undone) await removeEntry(table, logid);
        for (const logid of other.undone) await removeEntry(table, -logid);

        const left = ({ loaded, later, undone }: Written) =>
          [...loaded, ...later].filter((row) => !undone.has(Number(row.pf_logid)));
        // Rows outside the plan of the other version would show as empty months and groups.
        const ofPlan = left(other).filter((row) => !other.excluded.some((i) => i === row.pf_iter));
        expect(await table.size()).toBe(left(own).length + ofPlan.length);

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

  it('is also true for three other versions, whose keys are the same', async () => {
    const rowsOf = (logid: number) =>
      awkwardRows(20, logid).map((row): Row => ({ ...row, pf_logid: logid, pf_iter: 'baseline' }));
    const ids = [2, 3, 4];
    const { columns, origins } = Origins.prepare(
      columnsIn(bytesOf(rowsOf(1), INTEGERS)),
      MEASURES,
      [],
      ids.map((id) => ({ id, name: `Plan ${id}`, excluded: [], wide: new Set<string>() })),
    );
    const table = (await tableFrom(encoded(columns))) as unknown as Table;
    for (const id of ids) {
      const { columns: others } = new AnsweredRows(bytesOf(rowsOf(id), INTEGERS));
      await table.update(encoded(origins.extendOther(others, id)));
    }
    expect(await table.size()).toBe(80);
    const sum = (rows: Row[]) => rows.reduce((all, row) => all + Number(row.value), 0);
    const total = async (name: string) => {
      const view = await table.view({ group_by: ['region'], columns: [name] });
      const reader = await ViewReader.open(table, view, {}, { ratios: origins.ratios });
      const [value] = await reader.columnValues(0, { start_row: 0, end_row: 1 });
      await reader.dispose();
      await view.delete();
      return value;
    };
    for (const id of ids) {
      expect(await total(`value: Plan ${id}`)).toBeCloseTo(sum(rowsOf(id)), 6);
      expect(await total(`value: Δ to Plan ${id}`)).toBeCloseTo(
        sum(rowsOf(1)) - sum(rowsOf(id)),
        6,
      );
      expect(ids.filter((each) => origins.isOfVersion(each, id))).toEqual([id]);
    }
    // The removal of an entry removes the rows of its own version only.
    await removeEntry(table, -3);
    expect(await table.size()).toBe(60);
    expect(await total('value: Plan 4')).toBeCloseTo(sum(rowsOf(4)), 6);
  });

  it('keep the other values of the rows, including empty values and fractions', async () => {
    const own = awkwardRows(30).map((row): Row => ({ ...row, pf_logid: 1 }));
    const other = awkwardRows(30, 11).map((row): Row => ({
      ...row,
      pf_logid: 2,
      size: row.size === null ? null : Number(row.size) + 0.25,
    }));
    const schema: Schema = { ...INTEGERS, size: 'float' };
    const { columns, origins } = Origins.prepare(
      columnsIn(bytesOf(own, INTEGERS)),
      MEASURES,
      [],
      [{ id: 2, name: NAME, excluded: [], wide: wideColumns(INTEGERS, [schema]) }],
    );
    const table = (await tableFrom(encoded(columns))) as unknown as Table;
    const { columns: others } = new AnsweredRows(bytesOf(other, schema));
    await table.update(encoded(origins.extendOther(others, 2)));
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
  const originsFor = (...names: string[]) =>
    Origins.prepare(
      columnsIn(bytesOf(rows, INTEGERS)),
      MEASURES,
      ['reference'],
      names.map((name, i) => ({ id: 12 + i, name, excluded: [], wide: new Set() })),
    ).origins;
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
    const compared = withOthers(layout, before);
    const of = (name: string) => [`units: ${name}`, `units: Δ to ${name}`, `units: Δ % to ${name}`];
    expect(compared.columns).toEqual(['units', ...of('Old'), 'value']);
    expect(withOthers(compared, before)).toBe(compared);
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
    expect(withOthers(layout, none)).toBe(layout);
    expect(withoutOthers(sorted, before)).toEqual(without);
  });

  it('differ for several versions, also for those with the same name', () => {
    const origins = originsFor('Old', 'Old', 'New');
    const ofOne = (name: string) => [
      `value: ${name}`,
      `value: Δ to ${name}`,
      `value: Δ % to ${name}`,
    ];
    expect(namesOf(origins)).toEqual(['Old', 'Old (version 13)', 'New'].flatMap(ofOne));
    expect(origins.comparedWith).toEqual([12, 13, 14]);
    const ratio = origins.ratios.get('value: Δ % to Old (version 13)');
    expect(ratio).toMatchObject({ plan: 'value', reference: 'value: Old (version 13)' });
  });

  it('are added for each version that a layout does not show yet, after those that it shows', () => {
    const ofOne = (name: string) => [
      `value: ${name}`,
      `value: Δ to ${name}`,
      `value: Δ % to ${name}`,
    ];
    const one = withOthers({ columns: ['value', 'units'] }, originsFor('A'));
    expect(one.columns).toEqual(['value', ...ofOne('A'), 'units']);
    const three = originsFor('A', 'B', 'C');
    const all = withOthers({ columns: ['value', 'value: A', 'units'] }, three);
    expect(all.columns).toEqual(['value', 'value: A', ...ofOne('B'), ...ofOne('C'), 'units']);
    // The names of a version that has left the comparison are dropped, and the others stay.
    const left = renamed(all, originsFor('A', 'B').renamings(three));
    expect(left.columns).toEqual(['value', 'value: A', ...ofOne('B'), 'units']);
    expect(withoutOthers(all, three).columns).toEqual(['value', 'units']);
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
