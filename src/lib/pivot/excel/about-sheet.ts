import { DATE_FORMATS, serialOf } from './dates';
import type { CellStyle } from './styles';
import type { Row, Sheet } from './workbook';

/** Something that is said about a pivot: a name and a text, or a moment. */
export type Fact = readonly [name: string, what: string | Date];

const NAME: CellStyle = { bold: true };
const TEXT: CellStyle = { isText: true, wraps: true };
const MOMENT: CellStyle = { format: DATE_FORMATS.datetime, align: 'left' };

/** A sheet of two columns that says where the numbers of a workbook are from. */
export const aboutSheet = (facts: readonly Fact[]): Sheet => ({
  name: 'About',
  columns: [
    { width: 22, level: 0 },
    { width: 90, level: 0 },
  ],
  frozen: { rows: 0, columns: 0 },
  totalsFirst: false,
  depth: 0,
  rows: facts.map(([name, what]): Row => ({
    level: 0,
    cells: [
      { value: name, style: NAME },
      what instanceof Date
        ? { value: serialOf(localTime(what)), style: MOMENT }
        : { value: what, style: TEXT },
    ],
  })),
});

/** A sheet knows no time zones: it shows the clock of who made it. */
const localTime = (moment: Date): number => moment.getTime() - moment.getTimezoneOffset() * 60_000;
