/** The pivot as tables for paper. */
import type { ClosedHeaders } from '../grid/views/closed-headers';
import { CellFormat } from '../grid/drawing/cell-format';
import { TOTAL, TOTAL_ROW } from '../grid/drawing/heads';
import { isOpenAt, type Whole } from '../grid/shown/window';
import { commonUnit, unitText, type ColumnFormat } from '../values/column-format';
import { label } from '../values/labels';
import type { CellMark, MarkAt } from '../values/mark-rules';

/** The data of the pivot for a print. */
type PrintedPivot = Whole & {
  formats: ReadonlyMap<string, ColumnFormat>;
  /** The headers of closed months, which are marked. */
  closed: Pick<ClosedHeaders, 'has'>;
  /** The marks of cells; none if missing. */
  markAt?: MarkAt;
};

/** A header above one or several columns. */
export interface PrintedHead {
  text: string;
  span: number;
}

/** A number or text in a row. */
export interface PrintedCell {
  text: string;
  isNegative: boolean;
  /** How rules mark it; null if they do not. */
  mark: CellMark | null;
}

export interface PrintedRow {
  label: string;
  /** 0 for the total row. */
  level: number;
  /** Whether rows below it are shown. */
  isOpen: boolean;
  cells: readonly PrintedCell[];
}

/** Some neighbouring columns that fit beside each other on a page, with all rows. */
export interface PrintedBand {
  /** Levels of headers, the outermost first. */
  heads: readonly (readonly PrintedHead[])[];
  rows: readonly PrintedRow[];
  /** Size of the text in points. */
  size: number;
}

/** The tables of a pivot. Without groups of rows, the rows have no labels. */
export interface PrintedTable {
  hasLabels: boolean;
  /** What the labels of the rows are, and the unit of all amounts. */
  corner: string;
  bands: readonly PrintedBand[];
}

/** Upper limit of cells: more of them are hundreds of pages. */
const MOST_CELLS = 60_000;

/** Sizes of texts in points: that of a few columns, and the smallest legible one. */
const LARGE = 9;
const SMALL = 6;

/** Width of a page in points: landscape on the narrower of A4 and Letter, without its margins. */
const PAGE_WIDTH = 720;
/** Width of the labels of rows, as a multiple of the text's size, and of the room at both sides of a cell. */
const LABEL_WIDTH = 15;
const PADDING = 0.8;
/** Width of the sign of a mark, as a multiple of the text's size. */
const SIGN_WIDTH = 1.1;

/** Returns the reason why a pivot is too large to print, as a sentence; null if it is not. */
export function whyNotPrinted({ rows, columns }: { rows: number; columns: number }): string | null {
  if (rows * columns <= MOST_CELLS) return null;
  const [shownRows, shownColumns, most] = [rows, columns, MOST_CELLS].map((n) =>
    n.toLocaleString('en-US'),
  );
  return `The pivot has ${shownRows} rows and ${shownColumns} columns, and at most ${most} cells can be printed. Close some levels, set a filter, or export a workbook.`;
}

/**
 * Returns the pivot as tables with all of its open rows, in the texts of the grid. Columns that do not fit beside
 * each other on a page are divided into bands.
 *
 * @param languages languages of the browser, the preferred one first
 */
export function printedTable(pivot: PrintedPivot, languages: readonly string[]): PrintedTable {
  const { group_by, columns, formats, paths, values, count } = pivot;
  const measures = [...new Set(columns.map(({ measure }) => measure))];
  const hasLabels = group_by.length > 0;
  const unit = hasLabels ? commonUnit(measures.map((each) => formats.get(each) ?? {})) : null;
  const heads = headTexts(pivot, unit);
  const cells = columns.map(({ measure }, x): PrintedCell[] => {
    const format = new CellFormat(pivot.kinds.get(measure), formats.get(measure) ?? {}, languages);
    return Array.from({ length: count }, (_, y) => {
      const value = values[x]?.[y] ?? null;
      const mark = pivot.markAt?.(x, y) ?? null;
      return { text: format.text(value), isNegative: format.isNegative(value), mark };
    });
  });
  const labels = Array.from({ length: count }, (_, y) => rowLabel(paths[y] ?? [], pivot));
  const widths = cells.map((column, x) =>
    Math.max(
      widthOf(longestWord(heads[x]?.at(-1) ?? '')),
      ...column.map(({ text, mark }) => widthOf(text) + (mark?.sign ? SIGN_WIDTH : 0)),
    ),
  );
  return {
    hasLabels,
    corner: [group_by.map(pivot.labelOf).join(' / '), unit === null ? [] : `(${unit})`]
      .flat()
      .join(' '),
    bands: bandsOf(widths, hasLabels ? LABEL_WIDTH : 0).map(({ from, to, size }) => ({
      size,
      heads: mergedHeads(heads.slice(from, to)),
      rows: labels.map((text, y) => {
        const level = paths[y]?.length ?? 0;
        return {
          ...{ label: text, level, isOpen: isOpenAt(pivot, y) },
          cells: cells.slice(from, to).flatMap((column) => column[y] ?? []),
        };
      }),
    })),
  };
}

/** Returns the headers of each column, the outermost first. A closed month has a mark. */
function headTexts(pivot: PrintedPivot, unit: string | null): string[][] {
  const { columns, split_by, styles, formats, closed } = pivot;
  return columns.map(({ path, measure }) => {
    const groups = split_by.map((name, level) => {
      if (!path || level > path.length) return '';
      if (level === path.length) return TOTAL;
      const text = label(path[level] ?? null, styles.get(name));
      return closed.has(split_by, path.slice(0, level + 1)) ? `${text} ✓` : text;
    });
    const own = unitText(formats.get(measure) ?? {});
    return [
      ...groups,
      [pivot.labelOf(measure), own === null || own === unit ? [] : own].flat().join(' '),
    ];
  });
}

function rowLabel(path: PrintedPivot['paths'][number], pivot: PrintedPivot): string {
  const { group_by, styles, closed } = pivot;
  if (group_by.length === 0) return '';
  if (path.length === 0) return TOTAL_ROW;
  const text = label(path.at(-1) ?? null, styles.get(group_by[path.length - 1] ?? ''));
  return closed.has(group_by, path) ? `${text} ✓` : text;
}

/** Returns one header for neighbouring columns of a group; the lowest headers stay apart. */
function mergedHeads(heads: readonly (readonly string[])[]): PrintedHead[][] {
  const levels = heads[0]?.length ?? 0;
  return Array.from({ length: levels }, (_, level) => {
    const merged: PrintedHead[] = [];
    for (const [x, texts] of heads.entries()) {
      const before = heads[x - 1];
      const isSame =
        level < levels - 1 &&
        before !== undefined &&
        texts.slice(0, level + 1).every((text, i) => text === before[i]);
      const last = merged.at(-1);
      if (isSame && last) last.span++;
      else merged.push({ text: texts[level] ?? '', span: 1 });
    }
    return merged;
  });
}

/** Returns the width of a text as a multiple of its size: signs between digits are narrow. */
const widthOf = (text: string): number => {
  const narrow = text.match(/[.,'’\s]/g)?.length ?? 0;
  return (text.length - narrow) * 0.62 + narrow * 0.3;
};

const longestWord = (text: string): string =>
  text.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest), '');

/**
 * Divides columns into bands that fit on a page, each with the largest text that fits.
 *
 * @param widths of the columns, and of the labels of rows, as multiples of the size of the text
 */
export function bandsOf(
  widths: readonly number[],
  labels: number,
): { from: number; to: number; size: number }[] {
  const bands: { from: number; to: number; size: number }[] = [];
  const most = PAGE_WIDTH / SMALL - labels;
  let from = 0;
  let used = 0;
  const end = (to: number) => {
    if (to > from) {
      const size = Math.min(LARGE, PAGE_WIDTH / (used + labels));
      bands.push({ from, to, size: Math.max(SMALL, Math.floor(size * 10) / 10) });
    }
    from = to;
    used = 0;
  };
  for (const [x, width] of widths.entries()) {
    if (used + width + PADDING > most) end(x);
    used += width + PADDING;
  }
  end(widths.length);
  return bands;
}
