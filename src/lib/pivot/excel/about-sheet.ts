/** The sheet of a workbook that describes the origin of its numbers. */
import { DATE_FORMATS, serialOf } from './dates';
import type { CellStyle } from './cell-styles';
import type { WorkbookRow, Sheet } from './workbook';

/** A fact about a pivot: its name, and a text or a point in time. */
export type Fact = readonly [name: string, what: string | Date];

const NAME: CellStyle = { bold: true };
const TEXT: CellStyle = { isText: true, wraps: true };
const MOMENT: CellStyle = { format: DATE_FORMATS.datetime, align: 'left' };

/** Returns a sheet of two columns that describes the origin of a workbook's numbers. */
export const aboutSheet = (facts: readonly Fact[]): Sheet => ({
  name: 'About',
  columns: [
    { width: 22, level: 0 },
    { width: 90, level: 0 },
  ],
  frozen: { rows: 0, columns: 0 },
  totalsFirst: false,
  depth: 0,
  rows: facts.map(([name, what]): WorkbookRow => ({
    level: 0,
    cells: [
      { value: name, style: NAME },
      what instanceof Date
        ? { value: serialOf(localTime(what)), style: MOMENT }
        : { value: what, style: TEXT },
    ],
  })),
});

/** Sheets have no time zones, so the local time of the exporting browser is written. */
const localTime = (moment: Date): number => moment.getTime() - moment.getTimezoneOffset() * 60_000;
