/** Places pasted and filled-in numbers into marked cells. */
import type { MarkedCell } from '../pivot/slice/cell';
import { rectangleOf } from '../pivot/grid/block';
import type { MeasureEdit } from './scale-draft';

/** The edit that is asked for a marked cell. */
export interface Asked {
  cell: MarkedCell;
  /** Null for a blank. Its amount is NaN if the text is not a number. */
  edit: MeasureEdit | null;
  /** The text that was pasted, filled in or typed. */
  text: string;
}

/** The edits of the marked cells, or a sentence that says why there are none. */
export type Placed = { asked: Asked[] } | { refusal: string };

/** The direction in which a block is filled. */
export type Direction = 'right' | 'down';

const FILL_WORDS: Readonly<Record<Direction, string>> = {
  right: 'Select at least two columns of a measure to fill to the right.',
  down: 'Select at least two rows to fill down.',
};

/** "3 rows × 2 columns". */
const sizeText = (rows: number, columns: number): string =>
  `${rows} ${rows === 1 ? 'row' : 'rows'} × ${columns} ${columns === 1 ? 'column' : 'columns'}`;

/**
 * Puts pasted texts into marked cells: a single text into each of them, or a block into one of the same size.
 *
 * @param read parses a text as the edit of a cell; see {@link Asked}
 */
export function placePasted(
  texts: readonly (readonly string[])[],
  marked: readonly MarkedCell[],
  read: (text: string) => MeasureEdit | null,
): Placed {
  const [first = []] = texts;
  const columns = first.length;
  if (texts.length === 0 || columns === 0) return { refusal: 'The clipboard has no text.' };
  if (texts.some((row) => row.length !== columns)) {
    return { refusal: 'The rows on the clipboard have different lengths.' };
  }
  const [[single] = []] = texts;
  if (texts.length === 1 && columns === 1 && single !== undefined) {
    return { asked: marked.map((cell) => ({ cell, edit: read(single), text: single })) };
  }
  const rectangle = rectangleOf(marked);
  const size = sizeText(texts.length, columns);
  if (!rectangle) {
    return {
      refusal: `The clipboard has ${size}. Select a block of this size, or the cell where it begins.`,
    };
  }
  const wide = rectangle[0]?.length ?? 0;
  if (rectangle.length !== texts.length || wide !== columns) {
    return {
      refusal: `The clipboard has ${size}, and ${sizeText(rectangle.length, wide)} are selected. Select a block of the same size, or the cell where it begins.`,
    };
  }
  return {
    asked: rectangle.flatMap((row, y) =>
      row.map((cell, x) => {
        const text = texts[y]?.[x] ?? '';
        return { cell, edit: read(text), text };
      }),
    ),
  };
}

/**
 * Fills a block from its first column, measure by measure, or from its first row.
 *
 * @param print formats a number
 */
export function placeFilled(
  marked: readonly MarkedCell[],
  direction: Direction,
  print: (value: number) => string,
): Placed {
  const rectangle = rectangleOf(marked);
  if (!rectangle) return { refusal: 'Only a block of cells without gaps can be filled.' };
  const asked = rectangle.flatMap((row, y) =>
    row.flatMap((cell, x): Asked[] => {
      const from =
        direction === 'down'
          ? rectangle[0]?.[x]
          : row.find(({ measure }) => measure === cell.measure);
      if (!from || from === cell || (direction === 'down' && y === 0)) return [];
      const { value } = from;
      const edit = value === null ? null : ({ by: 'total', amount: value } as const);
      return [{ cell, edit, text: value === null ? '' : print(value) }];
    }),
  );
  return asked.length > 0 ? { asked } : { refusal: FILL_WORDS[direction] };
}

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
