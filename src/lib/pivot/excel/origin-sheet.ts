/** The hidden sheet of a workbook, by which the workbook can be read back. */
import * as v from 'valibot';
import { DAY_MS } from '../../contract/primitives';
import { Slice } from '../../contract/slices';
import { LONGEST_EXCEL_CELL } from '../../xlsx/limits';
import { momentOf } from './dates';
import type { Cell, WorkbookRow, Sheet } from './workbook';

export const ORIGIN_SHEET = 'Forecast Pivot data';
/** The first cell of the sheet, and the form of its content. */
export const ORIGIN_MARK = 'forecast-pivot-workbook';
export const ORIGIN_FORM = 1;
/** Number of rows before those of the pivot, and of columns before its numbers. */
export const HEADER_ROWS = 3;
export const HEADER_COLUMNS = 2;

const named = v.object({ id: v.number(), name: v.string() });

/** The plan and the moment that the numbers of a workbook are from. */
export const WorkbookOrigin = v.object({
  version: named,
  source: named,
  /** The history of the database; null if it is unknown. */
  timeline: v.nullable(v.string()),
  /** The newest entry that the numbers include; 0 if there is none. */
  newest: v.number(),
  /** When it was exported, as ISO text. */
  exported: v.string(),
  /** Name of the sheet with the numbers. */
  sheet: v.string(),
  /** Number of rows and columns of headers before the numbers. */
  headers: v.object({ rows: v.number(), columns: v.number() }),
  /** Why the workbook cannot be read back, as a sentence; null if it can. */
  problem: v.nullable(v.string()),
});
export type WorkbookOrigin = v.InferOutput<typeof WorkbookOrigin>;

const path = v.array(v.union([v.string(), v.number(), v.boolean(), v.null()]));

/** A row or a column of numbers: its place in the tree, and its rows of the version. */
const Line = v.object({
  path,
  /** Null if its cells cannot be changed. */
  slice: v.nullable(Slice),
  /** Why they cannot, as a sentence; null if they can. */
  why: v.nullable(v.string()),
  /** The texts of its headers, as a reader of the sheet sees them. */
  heads: v.array(v.string()),
});
export const OriginRow = Line;
export type OriginRow = v.InferOutput<typeof OriginRow>;
export const WorkbookColumn = v.object({
  ...Line.entries,
  /** The key of the measure that the column shows; null for a computed number. */
  measure: v.nullable(v.string()),
});
export type WorkbookColumn = v.InferOutput<typeof WorkbookColumn>;

/** The lines of a pivot without the texts of their headers. */
export interface OriginLines {
  rows: readonly Omit<OriginRow, 'heads'>[];
  columns: readonly Omit<WorkbookColumn, 'heads'>[];
}

/**
 * Returns the hidden sheet of a workbook: the origin of its numbers, for each row and column its slice, and the exact
 * amounts. Excel and LibreOffice keep it when they save the workbook.
 *
 * @param shown the sheet with the numbers
 */
export function originSheet(
  origin: Omit<WorkbookOrigin, 'sheet' | 'headers'>,
  { rows, columns }: OriginLines,
  shown: Sheet,
): Sheet {
  const headers = shown.frozen;
  const all = [...shown.rows];
  const head = all.slice(0, headers.rows);
  const textOf = (row: WorkbookRow | undefined, x: number) => textOfCell(row?.cells[x]);
  const heads = columns.map((_, i) => head.map((row) => textOf(row, headers.columns + i)));
  return {
    name: ORIGIN_SHEET,
    isHidden: true,
    columns: [],
    frozen: { rows: 0, columns: 0 },
    totalsFirst: false,
    depth: 0,
    rows: [
      line([ORIGIN_MARK, ORIGIN_FORM]),
      line([jsonOf({ ...origin, sheet: shown.name, headers })]),
      line([null, null, ...columns.map((each, i) => lineJson({ ...each, heads: heads[i] ?? [] }))]),
      ...rows.map((each, y) => {
        const row = all[headers.rows + y];
        const amounts = row?.cells.slice(headers.columns).map(({ value }) => value) ?? [];
        const own = { ...each, heads: headers.columns > 0 ? [textOf(row, 0)] : [] };
        return line([headers.rows + y + 1, lineJson(own), ...amounts]);
      }),
    ],
  };
}

const TEXT = { isText: true };
const PLAIN = {};

const line = (values: readonly Cell['value'][]): WorkbookRow => ({
  level: 0,
  cells: values.map((value) => ({ value, style: typeof value === 'string' ? TEXT : PLAIN })),
});

const jsonOf = (value: unknown): string => JSON.stringify(value);

const TOO_LONG = 'Too many filter values or days belong to these cells.';

/** A cell of a sheet has no room for very long lists. */
function lineJson(own: OriginRow | WorkbookColumn): string {
  const text = jsonOf(own);
  return text.length <= LONGEST_EXCEL_CELL ? text : jsonOf({ ...own, slice: null, why: TOO_LONG });
}

/** The text of a header as a reader of the sheet sees it: a date as ISO text. */
function textOfCell(cell: Cell | undefined): string {
  const { value = null, style } = cell ?? {};
  if (typeof value !== 'number' || !style?.format || !/[ymd]/.test(style.format)) {
    return value === null ? '' : String(value);
  }
  const moment = new Date(momentOf(value)).toISOString();
  return momentOf(value) % DAY_MS === 0
    ? moment.slice(0, 10)
    : moment.slice(0, 19).replace('T', ' ');
}
