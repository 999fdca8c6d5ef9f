import { expect, it } from 'vitest';
import {
  awkwardRows,
  bytesOf,
  LOGGED,
  rowsOfEntry,
  tableFrom,
} from '../../../../../tests/support/pivot-tables';
import type { CellValue, EngineTable } from '../../values/engine-types';
import { endsInOthers, othersValue } from '../../values/others';
import { formulated, type Ratio } from '../../values/ratios';
import { parseExpression } from '../../../contract/formula-expression';
import { triedText } from './marks';
import { Tried } from './tried';

const formula = (text: string): Ratio => formulated(parseExpression(text, null).expression!);

it('changes the results of formulas in the cells whose measures it changes', async () => {
  const tried = rowsOfEntry(-1, 3).map((row) => ({ ...row, region: 'West', units: 0, value: 5 }));
  const stored = awkwardRows(40).map((row) => ({ ...row, pf_logid: 1, seen: null }));
  const table = (await tableFrom(bytesOf([...stored, ...tried], LOGGED))) as unknown as EngineTable;
  const ratios = new Map([
    ['Margin', formula('(value - units) / value')],
    ['Double', formula('units * 2')],
  ]);
  const view = await table.view({ group_by: ['region'], columns: ['value'] });
  // The columns of formulas are in the table, without numbers.
  const config = { ...(await view.get_config()), columns: ['Margin', 'Double'] };
  const marks = await Tried.read(table, config, ratios, -1);
  const cell = (measure: string, ...rowPath: string[]) => ({ rowPath, columnPath: null, measure });
  expect(marks.changesResult(cell('Margin', 'West'))).toBe(true);
  expect(marks.changesResult(cell('Margin'))).toBe(true);
  expect(marks.changesResult(cell('Margin', 'East'))).toBe(false);
  expect(marks.changesResult(cell('Double', 'West'))).toBe(false);
  expect(marks.amountIn(cell('value', 'West'))).toBe(15);
  expect(marks.changesResult(cell('value', 'West'))).toBe(false);
  await view.delete();
});

it('adds up the amounts of the groups behind a row “Others”', async () => {
  const tried = rowsOfEntry(-1, 4).map((row, i) => ({
    ...row,
    region: ['West', 'East', null, 'North'][i] ?? null,
    value: 10 ** i,
  }));
  const table = (await tableFrom(bytesOf(tried, LOGGED))) as unknown as EngineTable;
  const view = await table.view({ group_by: ['region'], columns: ['value'] });
  const members = ['South', null, 'East', 'West'];
  const membersOf = (path: readonly CellValue[]) => (endsInOthers(path) ? members : null);
  const config = await view.get_config();
  const marks = await Tried.read(table, config, new Map(), -1, false, membersOf);
  const cell = { rowPath: [othersValue(4)], columnPath: null, measure: 'value' };
  expect(marks.amountIn(cell)).toBe(111);
  await view.delete();
});

it('marks shares and other numbers that are no amounts, without an amount', async () => {
  const tried = rowsOfEntry(-1, 3).map((row) => ({ ...row, region: 'West', units: 0, value: 5 }));
  const stored = awkwardRows(40).map((row) => ({ ...row, pf_logid: 1, seen: null }));
  const table = (await tableFrom(bytesOf([...stored, ...tried], LOGGED))) as unknown as EngineTable;
  const view = await table.view({ group_by: ['region'], columns: ['value', 'units'] });
  const mark = {
    tried: await Tried.read(table, await view.get_config(), new Map(), -1),
    text: (before: number, after: number) => `${before} → ${after}`,
  };
  await view.delete();
  const cell = (measure: string, region: string) => {
    return { rowPath: [region], columnPath: null, measure };
  };
  expect(triedText(mark, cell('value', 'West'), 20)).toBe('5 → 20');
  expect(triedText(mark, cell('value', 'West'), null)).toBe('Changed by what you are trying');
  expect(triedText(mark, cell('units', 'West'), null)).toBeNull();
  expect(triedText(mark, cell('value', 'East'), null)).toBeNull();
});
