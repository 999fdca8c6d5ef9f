/** The row that stands for the groups that a limit leaves out of their parent: "Others (37)". */
import type { CellValue } from './engine-types';

/** No value of a source begins with this text: PostgreSQL stores no NUL in a text. */
const MARK = '\u0000others ';

/** Returns the value that stands for a number of groups in the path of a row. */
export const othersValue = (count: number): string => `${MARK}${count}`;

/** Whether a value of a path stands for the groups that a limit leaves out. */
export const isOthers = (value: CellValue | undefined): boolean =>
  typeof value === 'string' && value.startsWith(MARK);

/** Whether a row adds up the groups that a limit leaves out. */
export const endsInOthers = (path: readonly CellValue[]): boolean => isOthers(path.at(-1));

/** Returns the label of such a value. */
export const othersLabel = (value: string): string => `Others (${value.slice(MARK.length)})`;

/** Whether the text of a member looks like the label of {@link othersLabel}. */
export const isLikeOthers = (text: string): boolean => /^Others \(\d+\)$/.test(text);

/** The groups of one level of the rows that its limit shows. */
interface ShownLevel {
  /** Keys of the paths of the groups. */
  kept: ReadonlySet<string>;
  /** Whether the other groups are combined into one row of their parent; otherwise they are not shown. */
  hasOthers: boolean;
}

/** The groups of the rows that limits show. */
export interface ShownGroups {
  /** Columns of the rows, the outermost first. */
  columns: readonly string[];
  /** The limit of each of these columns; null for none. */
  levels: readonly (ShownLevel | null)[];
}
