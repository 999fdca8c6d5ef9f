import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Iter } from '../../contract/operations';
import type { CellValue, EngineTable } from '../values/engine-types';
import { Origins } from './origins';
import {
  differences,
  formulated,
  missingParts,
  paintingOf,
  price,
  priceExpression,
  shares,
} from '../values/ratios';
import { priceFormula } from './formula-columns';
import { columnsIn, encoded, type ArrowColumns } from './arrow-columns';
import { AnsweredRows, fitted } from './rows';
import { ViewReader } from '../grid/views/view-reader';
import {
  awkwardRows,
  bytesOf,
  SCHEMA,
  tableFrom,
  type Row,
} from '../../../../tests/support/pivot-tables';

const MEASURES = ['value', 'units'];
const ITERS: Iter[] = ['baseline', 'reference', 'scale', 'recode', 'clone', 'actual'];

/** The factor with which rows of an iteration count in each column, computed from the rows alone. */
const MEANINGS: Record<string, (iter: string, excluded: readonly string[]) => number> = {
  '': (iter, excluded) => (excluded.includes(iter) ? 0 : 1),
  ': baseline': (iter) => (iter === 'baseline' ? 1 : 0),
  ': changes': (iter) => (['scale', 'recode', 'clone', 'actual'].includes(iter) ? 1 : 0),
  ': forecast': (iter, excluded) => (excluded.includes(iter) || iter === 'actual' ? 0 : 1),
  ': missed by': (iter) => (iter === 'actual' ? 1 : 0),
  ': reference': (iter) => (iter === 'reference' ? 1 : 0),
  ': Δ': (iter, excluded) => (excluded.includes(iter) ? 0 : 1) - (iter === 'reference' ? 1 : 0),
};

const wanted = (rows: readonly Row[], column: string, excluded: readonly string[]) => {
  const measure = MEASURES.find((each) => column.startsWith(each)) ?? '';
  const factor = MEANINGS[column.slice(measure.length)];
  return rows.reduce(
    (sum, row) => sum + Number(row[measure]) * (factor?.(String(row.pf_iter), excluded) ?? NaN),
    0,
  );
};

/** Returns sums of the engine: of all rows, then by region. */
async function sums(table: EngineTable, columns: string[]) {
  const view = await table.view({ group_by: ['region'], columns });
  const { __ROW_PATH__: paths, ...read } = JSON.parse(await view.to_columns_string()) as Record<
    string,
    number[]
  > & { __ROW_PATH__: unknown };
  await view.delete();
  return { paths: paths as CellValue[][], read };
}

describe('measures by origin', () => {
  it('add up the rows of their origin, loaded or appended, with any iterations excluded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ITERS), { minLength: 1, maxLength: 40 }),
        fc.array(fc.constantFrom(...ITERS), { maxLength: 10 }),
        fc.subarray(ITERS),
        async (loaded, later, excluded) => {
          const rows: Row[] = awkwardRows(loaded.length + later.length).map((row, i) => ({
            ...row,
            pf_iter: [...loaded, ...later][i] ?? '',
          }));
          const first = rows.slice(0, loaded.length);
          const { columns: made, origins } = Origins.prepare(
            columnsIn(bytesOf(first)),
            MEASURES,
            excluded,
          );
          const table = (await tableFrom(encoded(made))) as unknown as EngineTable & {
            update(rows: ArrayBuffer): Promise<unknown>;
          };
          if (later.length > 0) {
            const { columns: answered } = new AnsweredRows(bytesOf(rows.slice(loaded.length)));
            await table.update(encoded(origins.extend(fitted(answered, SCHEMA, 'pf_id'))));
          }

          expect(origins.compares).toBe(loaded.includes('reference'));
          const columns = MEASURES.flatMap((measure) => [
            measure,
            ...origins
              .columnsOf(measure)
              .filter(({ origin }) => origin !== 'percent')
              .map(({ name }) => name),
          ]);
          expect(origins.hasActuals).toBe(loaded.includes('actual'));
          const parts = (origins.compares ? 4 : 2) + (origins.hasActuals ? 2 : 0);
          expect(columns).toHaveLength(2 * (1 + parts));
          const { paths, read } = await sums(table, columns);
          for (const column of columns) {
            for (const [y, path] of paths.entries()) {
              const behind = rows.filter((row) => path.length === 0 || row.region === path[0]);
              expect(read[column]?.[y] ?? 0).toBeCloseTo(wanted(behind, column, excluded), 6);
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('leave the columns unchanged if there is nothing to split', () => {
    const bytes = bytesOf(awkwardRows(3));
    const { columns } = Origins.prepare(columnsIn(bytes), ['no such column'], ['reference']);
    const rows = (of: ArrowColumns) => [...of].map(([name, column]) => [name, [...column]]);
    expect(rows(columns)).toEqual(rows(columnsIn(bytes)));
  });

  it('are as long as the rows, also where the buffer of the iterations is longer', () => {
    const loaded = columnsIn(bytesOf(awkwardRows(3)));
    const iters = loaded.get('pf_iter');
    expect(iters?.data[0]?.values.length).toBeGreaterThan(3);
    const formulas = [priceFormula('value', 'units')];
    const { columns } = Origins.prepare(loaded, MEASURES, [], [], formulas);
    expect(columns.has('value: price')).toBe(true);
    expect([...columns].filter(([, column]) => column.length !== 3)).toEqual([]);
  });

  it('do not replace a source column of the same name', () => {
    const rows = awkwardRows(9);
    const { columns } = Origins.prepare(columnsIn(bytesOf(rows)), ['value'], []);
    const { origins } = Origins.prepare(columns, ['value'], []);
    expect(origins.columnsOf('value')).toEqual([]);
    expect(origins.ratios.size).toBe(0);
  });
});

describe('the difference', () => {
  it('is 0 where two sums are equal but for a rounding error', () => {
    const sums = 77_390.81;
    const difference = [1.5e-11, -1.5e-11, -0.01, null, 5];
    const plan = [sums, sums, sums, null, null];
    const made = [0, 0, -0.01, null, 5];
    expect(differences([plan, undefined, difference])).toEqual(made);
    expect(differences([undefined, plan, difference])).toEqual(made);
    expect(differences([undefined, undefined, difference])).toEqual(difference);
    expect(shares([plan, plan, difference])[1]).toBe(0);
  });
});

describe('the percentage', () => {
  it('is computed from the sums in every cell, also if the view lacks one of the three columns', async () => {
    const rows = awkwardRows(60);
    const { columns: made, origins } = Origins.prepare(columnsIn(bytesOf(rows)), MEASURES, [
      'reference',
    ]);
    const table = (await tableFrom(encoded(made))) as unknown as EngineTable;
    const [percent] = [...origins.ratios.keys()];
    for (const others of [
      ['value', 'value: reference'],
      ['value: Δ', 'value'],
      ['value: reference', 'value: Δ'],
    ]) {
      const columns = [...others, percent ?? ''];
      const view = await table.view({ group_by: ['region'], split_by: ['flag'], columns });
      const reader = await ViewReader.open(table, view, {}, { ratios: origins.ratios });
      const paths = await reader.columnPaths();
      for (const [x, path] of paths.entries()) {
        if (x % 3 !== 2) continue;
        const behind = rows.filter((row) => row.flag === path?.[0]);
        const [reference, plan] = [': reference', ''].map((of) =>
          wanted(behind, `value${of}`, ['reference']),
        ) as [number, number];
        const [total] = await reader.columnValues(x, { start_row: 0, end_row: 1 });
        expect(total).toBeCloseTo((plan - reference) / reference, 9);
      }
      await reader.dispose();
      await view.delete();
    }
  });

  it('is empty if there is nothing to compare with', () => {
    expect(
      shares([
        [5, 5, null, 0.3],
        [0, null, null, undefined as never],
        [5, 5, null, 0.3],
      ]),
    ).toEqual([null, null, null, null]);
    expect(shares([[50], undefined, undefined])).toEqual([null]);
    expect(shares([undefined, [-50], [10]])).toEqual([0.2]);
  });
});

describe('the price', () => {
  const PRICED = formulated(priceExpression('value', 'units'));
  const PRICE = priceFormula('value', 'units');
  const prices = (columns: (CellValue[] | undefined)[]) =>
    paintingOf('price', new Map([['price', PRICED]]))?.paint(columns);

  it('is the ratio of the sums, and empty without units', () => {
    expect(price(10, 4)).toBe(2.5);
    expect(price(10, null)).toBeNull();
    expect(
      prices([
        [10, 0, 5, null, 5],
        [4, 4, 0, 4, 0.1 + 0.2 - 0.3],
      ]),
    ).toEqual(
      // The last units have only a rounding error left.
      [2.5, 0, null, null, null],
    );
    expect(prices([undefined, [4]])).toEqual([null]);
    expect(prices([[4], undefined])).toEqual([null]);
  });

  it('is empty where only the rounding error of many rows is left', () => {
    const many = 30_000;
    const rounded = (amounts: readonly number[]) => amounts.reduce((sum, each) => sum + each, 0);
    const parts = Array.from({ length: many }, (_, i) => 0.1 + (i % 977) * 83.01);
    const left = rounded(
      [...parts, ...parts.map((part) => -part).toReversed()].sort((a, b) => a - b),
    );
    expect(Math.abs(left)).toBeGreaterThan(1e-9);
    expect(Math.abs(left)).toBeLessThan(0.004);
    const cents = { least: 2, most: 2 };
    const decimals = new Map(MEASURES.map((measure) => [measure, cents]));
    const loaded = columnsIn(bytesOf(awkwardRows(9)));
    const { origins } = Origins.prepare(loaded, MEASURES, [], [], [PRICE], decimals);
    const painting = paintingOf('value: price', origins.ratios);
    expect(
      painting?.paint([
        [12.5, left, left],
        [left, 4, left],
      ]),
    ).toEqual([null, 0, null]);
  });

  it('is that of the plan in every cell and total, without reference rows', async () => {
    const rows = awkwardRows(60);
    const { columns: made, origins } = Origins.prepare(
      columnsIn(bytesOf(rows)),
      MEASURES,
      ['reference'],
      [],
      [PRICE],
    );
    const table = (await tableFrom(encoded(made))) as unknown as EngineTable;
    const columns = ['value: price', 'units', 'value'];
    const view = await table.view({ group_by: ['region'], split_by: ['flag'], columns });
    const across = { totals: () => ({ total_column: 'end' as const }), isOpen: () => true };
    const reader = await ViewReader.open(table, view, {}, { ratios: origins.ratios, across });
    for (const [x, { path, measure }] of (await reader.columns()).entries()) {
      if (measure !== 'value: price') continue;
      const behind = rows.filter((row) => path?.length === 0 || row.flag === path?.[0]);
      const [value, units] = MEASURES.map((each) => wanted(behind, each, ['reference']));
      expect(await reader.valueAt(x, 0)).toBeCloseTo((value ?? 0) / (units ?? 0), 9);
    }
    await reader.dispose();
    await view.delete();
  });

  it('is loaded with the columns from which it is computed', () => {
    expect(missingParts(PRICED, ['value', 'value: price'])).toEqual(['units']);
    const share = { plan: 'a', reference: 'b', difference: 'c' };
    expect(missingParts(share, [])).toEqual(['a', 'b']);
    expect(missingParts(share, ['c'])).toEqual(['a']);
    expect(missingParts(share, ['c', 'a'])).toEqual([]);
  });

  it('exists only if value and units are loaded', () => {
    const bytes = bytesOf(awkwardRows(3));
    const only = (measures: string[], formulas: (typeof PRICE)[]) =>
      Origins.prepare(columnsIn(bytes), measures, [], [], formulas).origins.of('value: price');
    expect(only(MEASURES, [PRICE])).toMatchObject({ origin: 'price' });
    expect(only(['value'], [])).toBeNull();
    expect(only(['value'], [PRICE])).toBeNull();
  });
});
