import { describe, expect, it } from 'vitest';
import type { CheckedFormula } from '../../contract/formulas';
import {
  awkwardRows,
  bytesOf,
  type Row,
  SCHEMA,
  tableFrom,
} from '../../../../tests/support/pivot-tables';
import { ViewReader } from '../grid/views/view-reader';
import { measureFormats } from '../layout/formats';
import type { EngineTable } from '../values/engine-types';
import { partsBehind } from '../values/ratios';
import { columnsIn, encoded } from './arrow-columns';
import { priceFormula, usableFormulas } from './formula-columns';
import { Origins } from './origins';

const stored = (more: Partial<CheckedFormula>): CheckedFormula => ({
  ...{ id: 1, source_id: 1, name: 'Margin %', expression: '(value - 3 * units) / value' },
  ...{ format: { style: 'percent' }, created_by: null, created_at: '', problem: null },
  ...more,
});
const FORMULAS = [priceFormula('value', 'units'), ...usableFormulas([stored({})])];

const prepared = (rows: Row[]) =>
  Origins.prepare(columnsIn(bytesOf(rows)), ['value', 'units'], ['reference'], [], FORMULAS);

const sum = (rows: readonly Row[], measure: 'value' | 'units') =>
  rows.reduce((all, row) => all + Number(row[measure]), 0);
const margin = (rows: readonly Row[]): number | null => {
  const value = sum(rows, 'value');
  return rows.length === 0 || value === 0 ? null : (value - 3 * sum(rows, 'units')) / value;
};

describe('the columns of formulas', () => {
  it('are results on the plan and comparisons with the reference, named like parts of a measure', () => {
    const { origins } = prepared(awkwardRows(60));
    const own = origins.parts.filter((name) => name.startsWith('Margin %'));
    expect(own).toEqual(['Margin %', 'Margin %: reference', 'Margin %: Δ', 'Margin %: Δ %']);
    expect(own.map((name) => origins.isOfPlan(name))).toEqual([true, false, false, false]);
    expect(origins.parts).toContain('value: price: Δ');
  });

  it.for([
    ['Margin %', (now: number | null) => now],
    ['Margin %: reference', (_: unknown, past: number | null) => past],
    ['Margin %: Δ', (now: number, past: number) => now - past],
    ['Margin %: Δ %', (now: number, past: number) => (now - past) / Math.abs(past)],
  ] as const)(
    '%s is computed from sums at every level, and its parts are hidden',
    async ([column, expected]) => {
      const rows = awkwardRows(60);
      const { columns, origins } = prepared(rows);
      const table = (await tableFrom(encoded(columns))) as unknown as EngineTable;
      const shown = ['units', column];
      const whole = [...shown, ...partsBehind(shown, origins.ratios)];
      const view = await table.view({ group_by: ['region'], split_by: ['flag'], columns: whole });
      const across = { totals: () => ({ total_column: 'end' as const }), isOpen: () => true };
      const { ratios } = origins;
      const reader = await ViewReader.open(table, view, { columns: shown }, { ratios, across });
      const drawn = await reader.columns();
      expect(new Set(drawn.map(({ measure }) => measure))).toEqual(new Set(shown));
      let compared = 0;
      const paths = await reader.rowPaths(0);
      for (const [x, { path, measure }] of drawn.entries()) {
        if (measure !== column) continue;
        for (const [y, row] of paths.entries()) {
          const behind = rows.filter(
            (each) =>
              (path?.length === 0 || each.flag === path?.[0]) &&
              (row.length === 0 || each.region === row[0]),
          );
          const isPast = (each: Row) => each.pf_iter === 'reference';
          const now = margin(behind.filter((each) => !isPast(each)));
          const past = margin(behind.filter(isPast));
          const isAlone = column === 'Margin %' ? now === null : past === null;
          const isEmpty = isAlone || (column.includes('Δ') && now === null);
          const found = await reader.valueAt(x, y);
          if (isEmpty) expect(found).toBeNull();
          else expect(found).toBeCloseTo(expected(now as never, past as never) as number, 6);
          compared += isEmpty ? 0 : 1;
        }
      }
      expect(compared).toBeGreaterThan(10);
      await reader.dispose();
      await view.delete();
    },
  );

  it('are not compared by a column of the source that has the name of a part', () => {
    const rows = awkwardRows(60).map((row) => ({ ...row, 'units: reference': 1 }));
    const bytes = bytesOf(rows, { ...SCHEMA, 'units: reference': 'integer' });
    const measures = ['value', 'units'];
    const { origins } = Origins.prepare(columnsIn(bytes), measures, [], [], FORMULAS);
    const of = (name: string) => origins.parts.filter((part) => part.startsWith(name));
    expect(of('value: price')).toEqual(['value: price']);
    expect(of('Margin %')).toEqual(['Margin %']);
    // A formula without that measure is compared.
    const alone = usableFormulas([stored({ expression: 'value / 2' })]);
    const { origins: others } = Origins.prepare(columnsIn(bytes), measures, [], [], alone);
    expect(others.parts).toContain('Margin %: Δ %');
  });

  it('are empty if a measure shows another aggregate than its sum', async () => {
    const { columns, origins } = prepared(awkwardRows(60));
    const table = (await tableFrom(encoded(columns))) as unknown as EngineTable;
    const resultsWith = async (aggregates: Record<string, string>) => {
      const whole = ['Margin %', 'value', 'units'];
      const view = await table.view({ group_by: ['region'], columns: whole, aggregates });
      const { ratios } = origins;
      const reader = await ViewReader.open(table, view, { columns: whole, aggregates }, { ratios });
      const paths = await reader.rowPaths(0);
      const found = await Promise.all(paths.map((_, y) => reader.valueAt(0, y)));
      await reader.dispose();
      await view.delete();
      return found.filter((result) => result !== null);
    };
    expect((await resultsWith({})).length).toBeGreaterThan(1);
    expect(await resultsWith({ units: 'avg' })).toEqual([]);
    expect((await resultsWith({ units: 'sum' })).length).toBeGreaterThan(1);
  });

  it('are left out if a measure is not loaded, a column has the name, or the service names a problem', () => {
    const bytes = bytesOf(awkwardRows(3));
    const made = (formula: Partial<CheckedFormula>, measures = ['value', 'units']) =>
      Origins.prepare(columnsIn(bytes), measures, [], [], usableFormulas([stored(formula)])).origins
        .formulas.length;
    expect(made({})).toBe(1);
    expect(made({}, ['value'])).toBe(0);
    expect(made({ name: 'region' })).toBe(0);
    expect(made({ problem: 'at character 2: There is no measure “value”.' })).toBe(0);
    expect(made({ expression: '2 * 3' })).toBe(0);
  });

  it('have the format of the formula, and signs for differences', () => {
    const { origins } = prepared(awkwardRows(60));
    const decimals = { value: { least: 2, most: 2 }, units: { least: 0, most: 0 } };
    const formats = measureFormats([], decimals, {}, origins);
    const text = (name: string, value: number) =>
      new Intl.NumberFormat('en-US', formats.get(name)?.number_format).format(value);
    expect(text('Margin %', 0.256)).toBe('25.6%');
    expect(text('Margin %: reference', -0.25)).toBe('-25.0%');
    expect(text('Margin %: Δ', 0.006)).toBe('+0.6%');
    expect(text('Margin %: Δ %', 0.024)).toBe('+2.4%');
    const euros = usableFormulas([
      stored({ format: { style: 'currency', currency: 'EUR', decimals: 0 } }),
    ]);
    const columns = columnsIn(bytesOf(awkwardRows(3)));
    const other = Origins.prepare(columns, ['value', 'units'], [], [], euros).origins;
    const format = measureFormats([], decimals, {}, other).get('Margin %')?.number_format;
    expect(new Intl.NumberFormat('de-DE', format).format(-1234.5)).toBe('-1.235\u00a0€');
  });
});
