/** Tells the days through the newest close (YTD) from those after it (YTG). */
import { DAY_MS } from '../../contract/primitives';
import { parseDay, quotedName } from './cell-value';

/** The values of the column: a day is to date, or it is to go. */
const TO_DATE = 'YTD';
const TO_GO = 'YTG';
/** The last day to date if nothing is closed: all days are to go. */
const NOTHING_CLOSED = '0001-01-01';

/** Consecutive days: the first and the last one in epoch milliseconds, both included; infinite if open. */
export interface DaySpan {
  first: number;
  last: number;
}

/** The column of a date whose values are YTD and YTG. Its name does not change with the close. */
export const toDateName = (date: string): string => `${date} (YTD, YTG)`;

/**
 * Returns the expression of a date that is YTD through a day, and YTG after it and without a day.
 *
 * @param through ISO text; undefined if nothing is closed
 */
export function toDateExpression(date: string, through = NOTHING_CLOSED): string {
  const [year, month, day] = through.split('-').map(Number);
  const name = quotedName(date);
  // The engine compares an empty day as some other day.
  const isToGo = `is_null(${name}) or ${name} > date(${year}, ${month}, ${day})`;
  return `if (${isToGo}) '${TO_GO}'; else '${TO_DATE}';`;
}

const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
const EXPRESSION = new RegExp(
  `^if \\(is_null\\(${QUOTED}\\) or "\\1" > date\\((\\d+), (\\d+), (\\d+)\\)\\) 'YTG'; else 'YTD';$`,
);

/** An expression of {@link toDateExpression}. */
export interface ToDate {
  date: string;
  /** The last day that is YTD, in epoch milliseconds. */
  through: number;
}

/** Reads an expression of {@link toDateExpression}; null for any other expression. */
export function readToDate(expression: string): ToDate | null {
  const [, quoted, year = '', month = '', day = ''] = EXPRESSION.exec(expression) ?? [];
  if (quoted === undefined) return null;
  const through = parseDay(
    `${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
  );
  return { date: quoted.replace(/\\(.)/g, '$1'), through };
}

/** Checks whether two expressions are equal, or split the same date at different closes. */
export function isSameButClose(one: string, other: string): boolean {
  if (one === other) return true;
  const date = readToDate(one)?.date;
  return date !== undefined && date === readToDate(other)?.date;
}

/** Returns the value of a day in epoch milliseconds, null for an empty one. */
export const toDateValue = ({ through }: ToDate, day: unknown): string =>
  typeof day === 'number' && day <= through ? TO_DATE : TO_GO;

/** Returns the days that have a value; null for any other value. */
export function toDateDays({ through }: ToDate, value: unknown): DaySpan | null {
  if (value === TO_DATE) return { first: -Infinity, last: through };
  return value === TO_GO ? { first: through + DAY_MS, last: Infinity } : null;
}

/**
 * Returns the expressions of a layout with the newest closed days; null if they have them already.
 *
 * @param closed the newest closed day by date column, as ISO text
 */
export function withNewestClose(
  expressions: Readonly<Record<string, string>>,
  closed: ReadonlyMap<string, string>,
): Record<string, string> | null {
  const renewed = Object.entries(expressions).map(([name, text]) => {
    const read = readToDate(text);
    return [name, read ? toDateExpression(read.date, closed.get(read.date)) : text] as const;
  });
  const isSame = renewed.every(([name, text]) => expressions[name] === text);
  return isSame ? null : Object.fromEntries(renewed);
}
