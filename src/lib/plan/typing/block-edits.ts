/** Places pasted and filled-in numbers into marked cells. */
import type { MarkedCell } from '../../pivot/slice/cell';
import { rectangleOf, type FillDirection } from '../../pivot/grid/cells/block';
import type { PastedCell } from './pasted-block';
import type { MeasureEdit } from '../amounts/scale-draft';

/** The edit that is asked for a marked cell. */
export interface Asked {
  cell: MarkedCell;
  /** Null for a blank. Its amount is NaN if the typed text is not a number. */
  edit: MeasureEdit | null;
  /** The text that was pasted, filled in or typed. */
  text: string;
}

const FILL_WORDS: Readonly<Record<FillDirection, string>> = {
  right: 'Select at least two columns of a measure to fill to the right.',
  down: 'Select at least two rows to fill down.',
};

/** "3 rows × 2 columns". */
const sizeText = (rows: number, columns: number): string =>
  `${rows} ${rows === 1 ? 'row' : 'rows'} × ${columns} ${columns === 1 ? 'column' : 'columns'}`;

/** A marked cell, and the cell of the clipboard that it gets. */
export interface Landed {
  cell: MarkedCell;
  pasted: PastedCell;
}

/**
 * Puts pasted cells into marked ones: a single one into each of them, or a block into one of the same size.
 *
 * @param pasted rows of the same length
 */
export function placePasted(
  pasted: readonly (readonly PastedCell[])[],
  marked: readonly MarkedCell[],
): { landed: Landed[] } | { refusal: string } {
  const columns = pasted[0]?.length ?? 0;
  if (pasted.length === 0 || columns === 0) return { refusal: 'The clipboard has no text.' };
  const [[single] = []] = pasted;
  if (pasted.length === 1 && columns === 1 && single !== undefined) {
    return { landed: marked.map((cell) => ({ cell, pasted: single })) };
  }
  const rectangle = rectangleOf(marked);
  const size = sizeText(pasted.length, columns);
  if (!rectangle) {
    return {
      refusal: `The clipboard has ${size}. Select a block of this size, or the cell where it begins.`,
    };
  }
  const wide = rectangle[0]?.length ?? 0;
  if (rectangle.length !== pasted.length || wide !== columns) {
    return {
      refusal: `The clipboard has ${size}, and ${sizeText(rectangle.length, wide)} are selected. Select a block of the same size, or the cell where it begins.`,
    };
  }
  return {
    landed: rectangle.flatMap((row, y) =>
      row.flatMap((cell, x) => {
        const found = pasted[y]?.[x];
        return found ? [{ cell, pasted: found }] : [];
      }),
    ),
  };
}

/** Whether a cell gives its number to others of its line when a block is filled. */
export type IsFilledFrom = (cell: MarkedCell, i: number) => boolean;

/**
 * Fills each line of a block from some of its cells: a column, or the cells of one measure in a row. Several
 * numbers are repeated in turn. A line without such a cell stays as it is.
 *
 * @param print formats a number
 * @param isFrom tells from which cells, by their place in the line; the first one if omitted
 */
export function placeFilled(
  marked: readonly MarkedCell[],
  direction: FillDirection,
  print: (value: number) => string,
  isFrom: IsFilledFrom = (_, i) => i === 0,
): { asked: Asked[] } | { refusal: string } {
  const rectangle = rectangleOf(marked);
  if (!rectangle) return { refusal: 'Only a block of cells without gaps can be filled.' };
  const lines = direction === 'down' ? columnsOf(rectangle) : rectangle.flatMap(measuresOf);
  const asked = lines.flatMap((line) => {
    const from = line.filter(isFrom);
    const first = line.findIndex(isFrom);
    return line.flatMap((cell, i): Asked[] => {
      const turn = (i - first) % from.length;
      const given = from.at(turn);
      if (!given || from.includes(cell)) return [];
      const { value } = given;
      const edit = value === null ? null : ({ by: 'total', amount: value } as const);
      return [{ cell, edit, text: value === null ? '' : print(value) }];
    });
  });
  return asked.length > 0 ? { asked } : { refusal: FILL_WORDS[direction] };
}

const columnsOf = (rows: readonly (readonly MarkedCell[])[]): MarkedCell[][] =>
  (rows[0] ?? []).map((_, x) => rows.flatMap((row) => row[x] ?? []));

const measuresOf = (row: readonly MarkedCell[]): MarkedCell[][] =>
  [...new Set(row.map(({ measure }) => measure))].map((wanted) =>
    row.filter(({ measure }) => measure === wanted),
  );

/** Whether a cell already shows the number that is asked for. A change of 0 counts as unchanged. */
export function isUnchanged({ cell: { value }, edit }: Asked): boolean {
  if (edit === null) return value === null;
  if (edit.by !== 'total') return edit.amount === 0;
  return Math.abs(edit.amount - (value ?? 0)) <= 1e-9 * Math.max(1, Math.abs(value ?? 0));
}

/** A reason why cells cannot be written, with the names of those cells. */
interface Problem {
  reason: string;
  names: string[];
}

/** Groups the problems of cells by reason, in the order of the cells. */
export function problemsOf<Cell>(
  cells: readonly Cell[],
  why: (cell: Cell, i: number) => string | null,
  nameOf: (cell: Cell) => string,
): Problem[] {
  const problems = new Map<string, string[]>();
  for (const [i, cell] of cells.entries()) {
    const reason = why(cell, i);
    if (reason === null) continue;
    const names = problems.get(reason) ?? [];
    names.push(nameOf(cell));
    problems.set(reason, names);
  }
  return [...problems].map(([reason, names]) => ({ reason, names }));
}

/** Maximum number of cells that are named for each reason. */
const MOST_NAMED = 3;

/** "Furniture / Chairs, 2028 / Sales and 2 more: it is locked. Nothing was changed." */
export function problemText(problems: readonly Problem[]): string {
  const texts = problems.map(({ reason, names }) => {
    const named = names.slice(0, MOST_NAMED).join('; ');
    const more = names.length - MOST_NAMED;
    return `${named}${more > 0 ? ` and ${more} more` : ''}: ${reason}`;
  });
  return [...texts, 'Nothing was changed.'].join(' ');
}
