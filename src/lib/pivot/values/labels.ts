/** Labels of the values of a column, as the page shows them. */
import { BLANK_LABEL, EMPTY_LABEL } from '../../contract/slices';
import { toScalar } from './cell-value';
import { DATE_LANGUAGE, formatDay, formatMoment, monthWriter } from './date-language';
import type { CellValue, ColumnType } from './engine-types';
import { isLookalike, withParts } from './lookalikes';
import { isLikeOthers, isOthers, othersLabel } from './others';
import { isTimeUnit, readBucket, type TimeUnit } from './time-unit';

/** The style in which a column's values are written: its type, or its unit of time. */
export type LabelStyle = ColumnType | TimeUnit;

/** Writes the month and the moment of a group from epoch milliseconds, and its day from ISO text. */
interface DateWriters {
  month: ReturnType<typeof monthWriter>;
  day: (iso: string) => string;
  moment: (at: number) => string;
}

const IN_BROWSER_LANGUAGE: DateWriters = {
  month: monthWriter(DATE_LANGUAGE),
  day: formatDay,
  moment: formatMoment,
};

/** Matches blanks and characters that would be invisible. */
const HIDDEN = /^\s|\s$|\s\s|[^\S ]|\p{Cc}|(?!\u200d)\p{Cf}/u;
const ESCAPED = /\\|[^\S ]|\p{Cc}|(?!\u200d)\p{Cf}/gu;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' };

/**
 * Returns the label of a group's value; different loaded values have different labels. A text is quoted if it
 * would be taken for something else, has blanks that would be invisible, or looks like another loaded text.
 *
 * @param write by default in the browser's language
 */
export function label(
  value: CellValue,
  style: LabelStyle | undefined,
  write: DateWriters = IN_BROWSER_LANGUAGE,
): string {
  if (value === null) return EMPTY_LABEL;
  if (typeof value === 'string') return textLabel(value);
  if (typeof value === 'number' && isTimeUnit(style))
    return unitLabel(new Date(value), style, write.month);
  if (typeof value === 'number' && style === 'datetime') return write.moment(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return style === 'date' ? write.day(String(toScalar(value, style))) : String(value);
}

/** Returns "Mar 2029", "Q1 2029" or "2029". */
function unitLabel(start: Date, unit: TimeUnit, writeMonth: DateWriters['month']): string {
  if (unit === 'month') return writeMonth(start);
  const year = String(start.getUTCFullYear());
  return unit === 'year' ? year : `Q${Math.floor(start.getUTCMonth() / 3) + 1} ${year}`;
}

function textLabel(text: string): string {
  if (text === '') return BLANK_LABEL;
  if (isOthers(text)) return othersLabel(text);
  if (isLookalike(text)) return `“${withParts(text.replace(ESCAPED, escaped), escaped)}”`;
  const isPlain =
    text !== EMPTY_LABEL &&
    text !== BLANK_LABEL &&
    !isLikeOthers(text) &&
    !text.startsWith('“') &&
    !HIDDEN.test(text);
  return isPlain ? text : `“${text.replace(ESCAPED, escaped)}”`;
}

/** Returns the label of a text that looks like another loaded one; undefined for any other text. */
export const lookalikeLabel = (text: string): string | undefined =>
  isLookalike(text) ? textLabel(text) : undefined;

const escaped = (character: string): string =>
  ESCAPES[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Returns the style of a layout's column: its type, or the unit of time of its expression. */
export function labelStyle(
  type: ColumnType | undefined,
  expression: string | undefined,
): LabelStyle | undefined {
  const isTime = type === 'date' || type === 'datetime';
  return (isTime && expression && readBucket(expression)?.unit) || type;
}
