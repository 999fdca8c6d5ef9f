/** The sheet of a workbook that shows the pivot. */
import type { CellValue, ColumnType } from '../values/engine-types';
import type { ClosedHeaders } from '../grid/views/closed-headers';
import type { DrawnColumn } from '../grid/cells/grid-columns';
import { exactValue, unitText, type ColumnFormat } from '../values/column-format';
import { TOTAL, TOTAL_ROW } from '../grid/drawing/heads';
import { label, type LabelStyle } from '../values/labels';
import { type CellMark, type MarkAt, signOf, SIGNS, toneOf } from '../values/mark-rules';
import { isTimeUnit } from '../values/time-unit';
import { isOpenAt, type Whole } from '../grid/shown/window';
import { DATE_FORMATS, serialOf } from './dates';
import { NumberFormat } from './number-format';
import { MOST_COLUMNS, MOST_ROWS } from '../../xlsx/limits';
import type { CellStyle } from './cell-styles';
import { MOST_LEVELS, type Cell, type WorkbookRow, type Sheet } from './workbook';

/** The data of the pivot for a workbook. */
export type TakenPivot = Whole & {
  formats: ReadonlyMap<string, ColumnFormat>;
  /** The headers of closed months, which are marked. */
  closed: Pick<ClosedHeaders, 'has'>;
  /** The marks of cells; none if missing. */
  markAt?: MarkAt;
};

/** The mark on the header of closed months. */
const CLOSED = ' ✓';

/** Upper limit of cells: more of them exhaust a browser's memory and take minutes to open. */
const MOST_CELLS = 1_000_000;

/** Widths in characters. */
const FIRST_WIDTH = 32;
const WIDTH = 14;

const NOTHING: Cell = { value: null, style: {} };

/** Returns the reason why a pivot is too large for a workbook, as a sentence; null if it is not. */
export function whyNoWorkbook({ count, columns, group_by, split_by }: TakenPivot): string | null {
  const rows = count + split_by.length + 1;
  const across = columns.length + (group_by.length > 0 ? 1 : 0);
  const isTooMuch = rows > MOST_ROWS || across > MOST_COLUMNS || rows * across > MOST_CELLS;
  if (!isTooMuch) return null;
  const [shownRows, shownColumns, most] = [rows, across, MOST_CELLS].map((n) =>
    n.toLocaleString('en-US'),
  );
  return `The pivot has ${shownRows} rows and ${shownColumns} columns, and a workbook can have at most ${most} cells. Close some levels, set a filter, or export the rows as CSV.`;
}

/**
 * Returns the shown pivot as a sheet: one row per open row, with the levels of rows and columns as outlines.
 * Amounts have the decimals of the page, and dates are dates.
 */
export function pivotSheet(pivot: TakenPivot): Sheet {
  const { group_by, split_by, columns, totals, paths } = pivot;
  const isGrouped = group_by.length > 0;
  const styles = new StyleCache();
  return {
    name: 'Pivot',
    columns: [
      ...(isGrouped ? [{ width: FIRST_WIDTH, level: 0 }] : []),
      ...columns.map((column) => ({ width: WIDTH, level: columnLevel(column, pivot) })),
    ],
    frozen: { rows: split_by.length + 1, columns: isGrouped ? 1 : 0 },
    totalsFirst: totals.total_column === 'start' && !totals.subtotals,
    depth: isGrouped ? paths.reduce((most, path) => Math.max(most, rowLevel(path)), 0) : 0,
    rows: rowsOf(pivot, styles),
  };
}

const rowLevel = (path: readonly CellValue[]): number => Math.min(path.length, MOST_LEVELS);

/**
 * Returns the outline level of a column: the number of shown totals above it. Without a total there is no
 * column to collapse it into.
 */
function columnLevel({ path }: DrawnColumn, { totals, split_by, group_by }: TakenPivot): number {
  if (!path || split_by.length === 0 || group_by.length === 0 || path.length === 0) return 0;
  const ofTotal = totals.total_column === undefined ? 0 : 1;
  const ofGroups = totals.subtotals ? path.length - 1 : 0;
  return Math.min(ofTotal + ofGroups, MOST_LEVELS);
}

function* rowsOf(pivot: TakenPivot, styles: StyleCache): Generator<WorkbookRow> {
  const { group_by, split_by, columns, styles: ways, paths, count, values, closed } = pivot;
  const isGrouped = group_by.length > 0;
  const head = { bold: true, align: 'right' } as const;
  const corner = (text: string): Cell[] =>
    isGrouped ? [{ value: text, style: styles.of({ bold: true, isText: true }) }] : [];
  for (const [level, name] of split_by.entries()) {
    const across = columns.map(({ path }): Cell => {
      if (!path || level > path.length) return NOTHING;
      if (level === path.length) return { value: TOTAL, style: styles.of(head) };
      const cell = headCell(path[level] ?? null, ways.get(name), head, styles);
      return closed.has(split_by, path.slice(0, level + 1)) ? marked(cell, styles) : cell;
    });
    yield { cells: [...corner(pivot.labelOf(name)), ...across], level: 0 };
  }
  const names = columns.map(({ measure }): Cell => ({
    value: [pivot.labelOf(measure), unitText(pivot.formats.get(measure) ?? {}) ?? []]
      .flat()
      .join(' '),
    style: styles.of({ ...head, isText: true }),
  }));
  yield { cells: [...corner(group_by.map(pivot.labelOf).join(' / ')), ...names], level: 0 };

  const formats = columns.map((column) => valueCells(column, pivot, styles));
  for (let y = 0; y < count; y++) {
    const path = paths[y] ?? [];
    const isOpen = isOpenAt(pivot, y);
    const cells: Cell[] = isGrouped ? [rowHead(path, isOpen, pivot, styles)] : [];
    for (const [x, cellOf] of formats.entries()) {
      const cell = cellOf(values[x]?.[y] ?? null, isOpen);
      const mark = pivot.markAt?.(x, y);
      cells.push(mark ? { ...cell, style: styles.of(markedStyle(cell.style, mark)) } : cell);
    }
    yield { cells, level: isGrouped ? rowLevel(path) : 0 };
  }
}

function rowHead(
  path: readonly CellValue[],
  bold: boolean,
  { group_by, styles: ways, closed }: TakenPivot,
  styles: StyleCache,
): Cell {
  if (path.length === 0) return { value: TOTAL_ROW, style: styles.of({ bold }) };
  const way = ways.get(group_by[path.length - 1] ?? '');
  const look = { bold, align: 'left', indent: path.length - 1 } as const;
  const cell = headCell(path.at(-1) ?? null, way, look, styles);
  return closed.has(group_by, path) ? marked(cell, styles) : cell;
}

/** Returns the header with the mark of closed months. A date or number keeps its value; its format has the mark. */
function marked({ value, style }: Cell, styles: StyleCache): Cell {
  if (typeof value !== 'number') return { value: `${value}${CLOSED}`, style };
  return { value, style: styles.of({ ...style, format: `${style.format ?? '0'}"${CLOSED}"` }) };
}

/**
 * Returns the cell of a group's value: dates and whole numbers as numbers, other values as the text of the
 * page.
 */
function headCell(
  value: CellValue,
  way: LabelStyle | undefined,
  look: CellStyle,
  styles: StyleCache,
): Cell {
  const format = way && DATE_FORMATS[way];
  if (typeof value === 'number' && format !== undefined) {
    const serial = serialOf(value);
    if (serial !== null) return { value: serial, style: styles.of({ ...look, format }) };
  } else if (typeof value === 'number' && !isTimeUnit(way))
    return { value, style: styles.of(look) };
  return { value: label(value, way), style: styles.of({ ...look, isText: true }) };
}

/** Returns a function that makes the cells of one column. */
function valueCells(
  { measure, leaves }: DrawnColumn,
  { kinds, formats }: TakenPivot,
  styles: StyleCache,
): (value: CellValue, isTotal: boolean) => Cell {
  const type = kinds.get(measure);
  const isSum = leaves.length > 1;
  const date = type && isTime(type) ? DATE_FORMATS[type] : undefined;
  const written = formats.get(measure) ?? {};
  const number = new NumberFormat(type, written);
  return (value, isTotal) => {
    const bold = isTotal || isSum;
    if (value === null) return NOTHING;
    if (typeof value !== 'number') {
      return { value, style: styles.of({ bold, isText: typeof value === 'string' }) };
    }
    if (!date) {
      const amount = exactValue(value, written);
      return { value: amount, style: styles.of({ bold, format: number.codeOf(amount) }) };
    }
    const serial = serialOf(value);
    return serial === null
      ? { value: label(value, type), style: styles.of({ bold, isText: true }) }
      : { value: serial, style: styles.of({ bold, format: date }) };
  };
}

/** The colours of marks, as red, green and blue: those of the page in its light theme. */
const TONES = {
  high: [0x0b, 0x7a, 0x89],
  low: [0xc2, 0x57, 0x0c],
  other: [0x4a, 0x57, 0xb8],
} as const;

/** Returns the style of a marked number: the format shows the sign at the left edge, and the fill is a weak colour. */
function markedStyle(style: CellStyle, mark: CellMark): CellStyle {
  const { fill } = mark;
  const isScale = fill?.kind === 'high' || fill?.kind === 'low';
  const strength = isScale ? 0.26 * fill.share : 0.16;
  const hex = TONES[toneOf(mark)].map((part) =>
    Math.round(255 + (part - 255) * strength)
      .toString(16)
      .toUpperCase(),
  );
  const [positive = '0', negative = `-${positive}`, ...zero] = (style.format ?? '0').split(';');
  const format = [positive, negative, ...zero]
    .map((code) => `"${SIGNS[signOf(mark)].text}"* ${code}`)
    .join(';');
  return { ...style, format, fill: hex.join('') };
}

const isTime = (type: ColumnType): boolean => type === 'date' || type === 'datetime';

/** Keeps one object per combination of style properties. */
class StyleCache {
  private readonly known = new Map<string, CellStyle>();

  of({ format = '', bold = false, indent = 0, align, fill, isText = false }: CellStyle): CellStyle {
    const key = `${bold}|${indent}|${align}|${fill}|${isText}|${format}`;
    let style = this.known.get(key);
    if (!style) {
      style = {
        ...(format !== '' && { format }),
        ...(bold && { bold }),
        ...(indent > 0 && { indent }),
        ...(align && { align }),
        ...(fill && { fill }),
        ...(isText && { isText }),
      };
      this.known.set(key, style);
    }
    return style;
  }
}
