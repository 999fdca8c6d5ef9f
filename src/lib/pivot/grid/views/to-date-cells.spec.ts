import { describe, expect, it } from 'vitest';
import {
  awkwardRows,
  DAYS,
  everyCell,
  selected,
  sum,
  tableOf,
} from '../../../../../tests/support/pivot-tables';
import type { EngineTable } from '../../values/engine-types';
import { parseDay, quotedName } from '../../values/cell-value';
import { toDateExpression, toDateName } from '../../values/to-date';
import { NOTHING } from './beside';

const DATE = 'Order Date';
const TO_DATE = toDateName(DATE);

describe('cells of YTD and YTG', async () => {
  const rows = awkwardRows(200);
  const table = (await tableOf(rows)) as unknown as EngineTable;
  const beside = {
    ...NOTHING,
    daysOf: () => [null, ...DAYS.filter((day) => day !== null).map(parseDay)],
  };
  const cellsOf = (through: string | undefined, split_by: string[], known = true) =>
    everyCell(
      table,
      {
        name: '',
        config: {
          group_by: ['region'],
          split_by,
          columns: ['units'],
          expressions: {
            Year: `bucket(${quotedName(DATE)}, 'Y')`,
            [TO_DATE]: toDateExpression(DATE, through),
          },
        },
      },
      known ? beside : NOTHING,
    );

  it.each(['2019-01-31', '2019-12-31', '1969-12-30', undefined])(
    'select exactly their rows after a close through %s',
    async (through) => {
      for (const split of [[TO_DATE], ['Year', TO_DATE], [TO_DATE, 'Year']]) {
        const cells = await cellsOf(through, split);
        expect(cells).toEqual(await cellsOf(through, split, false));
        for (const cell of cells) {
          const behind = cell.impossible ? [] : selected(rows, cell.listed);
          expect(sum(behind, 'units')).toBe(cell.value ?? 0);
          const inRange = cell.impossible ? [] : selected(rows, cell.slice);
          expect(inRange).toEqual(behind);
        }
      }
    },
  );

  it('are ranges of days within a year', async () => {
    const cells = await cellsOf('2019-01-31', ['Year', TO_DATE]);
    const ranges = ['YTD', 'YTG'].map((value) => {
      const year = parseDay('2019-01-01');
      const cell = cells.find(
        ({ columnPath, impossible }) =>
          columnPath?.[0] === year && columnPath[1] === value && impossible === null,
      );
      return cell && cell.slice[DATE];
    });
    expect(ranges).toEqual([
      { from: '2019-01-01', to: '2019-01-31' },
      { from: '2019-02-01', to: '2019-12-31' },
    ]);
  });
});
