/** Chooses cells on screen that the page can do an act with. */
import type { SeenCell } from '../watch';
import type { Act, AnnouncedRound } from './round';
import { PRICE } from './table';

/** Rows and columns that a block reaches over at most, where it is chosen to fit. */
const HIGH = 4;
const WIDE = 6;

const isFull = ({ text }: SeenCell): boolean => text !== '' && text !== '-';

/**
 * Returns the cells from which the action of a round is possible; all cells if there is none.
 *
 * @param formulas names of formulas
 */
export function startsOf(
  round: AnnouncedRound,
  cells: SeenCell[],
  formulas: readonly string[],
): SeenCell[] {
  const { act } = round;
  const isResult = ({ measure }: SeenCell) => measure !== null && formulas.includes(measure);
  const fits = (cell: SeenCell): boolean => {
    switch (act.kind) {
      // An empty cell is modelled on others; a price needs units.
      case 'cell':
        return (cell.measure !== PRICE && !isResult(cell)) || isFull(cell);
      case 'block':
      case 'fill':
        return isFull(cell) && cornersOf(round, act, cell, cells, formulas).length > 0;
      case 'paste': {
        const area = pastedOver(cells, cell, act.texts);
        const isWhole = area.length === act.texts.flat().length;
        return (
          isWhole &&
          isBlock(
            area.map(([each]) => each),
            formulas,
          )
        );
      }
      default:
        return isFull(cell);
    }
  };
  const fitting = cells.filter(fits);
  const prices = fitting.filter(({ measure }) => measure === PRICE);
  const results = fitting.filter(isResult);
  const isOnResult = act.kind === 'cell' && round.result !== null && results.length > 0;
  const isOnPrice = act.kind === 'cell' && round.onPrice && prices.length > 0;
  const found = isOnResult ? results : isOnPrice ? prices : fitting;
  return found.length > 0 ? found : cells;
}

/** The opposite corners of the blocks from a cell that an act can fill or change. */
export function cornersOf(
  { holdPrice }: AnnouncedRound,
  act: Extract<Act, { kind: 'block' | 'fill' }>,
  start: SeenCell,
  cells: readonly SeenCell[],
  formulas: readonly string[],
): SeenCell[] {
  const [xs, ys] = grid(cells);
  return cells.filter((corner) => {
    const wide = Math.abs(xs.indexOf(corner.at.x) - xs.indexOf(start.at.x));
    const high = Math.abs(ys.indexOf(corner.at.y) - ys.indexOf(start.at.y));
    if (wide + high === 0 || wide >= WIDE || high >= HIGH) return false;
    const block = between(cells, start, corner);
    if (!isBlock(block, formulas)) return false;
    // A change of value or units also changes the other one.
    if (holdPrice && block.some(({ measure }) => measure !== start.measure)) return false;
    if (act.kind === 'block') return true;
    if (act.direction === 'down') return high > 0;
    return block.some((cell) => cell.at.x !== start.at.x && cell.measure === start.measure);
  });
}

/** The cells of the rectangle between two cells. */
export function between(cells: readonly SeenCell[], one: SeenCell, other: SeenCell): SeenCell[] {
  const isWithin = (axis: 'x' | 'y', { at }: SeenCell) =>
    at[axis] >= Math.min(one.at[axis], other.at[axis]) &&
    at[axis] <= Math.max(one.at[axis], other.at[axis]);
  return cells.filter((cell) => isWithin('x', cell) && isWithin('y', cell));
}

/** The cells that rows of texts are pasted over, from a cell on, with their texts. */
export function pastedOver(
  cells: readonly SeenCell[],
  start: SeenCell,
  texts: readonly (readonly string[])[],
): [cell: SeenCell, text: string][] {
  const [xs, ys] = grid(cells);
  return texts.flatMap((line, down) =>
    line.flatMap((text, across): [SeenCell, string][] => {
      const x = xs[xs.indexOf(start.at.x) + across];
      const y = ys[ys.indexOf(start.at.y) + down];
      const cell = cells.find(({ at }) => at.x === x && at.y === y);
      return cell ? [[cell, text]] : [];
    }),
  );
}

/** Whether cells can be changed together: each has an amount, and none is a part of another. */
function isBlock(cells: readonly SeenCell[], formulas: readonly string[]): boolean {
  const computed = cells.find(({ measure }) => [PRICE, ...formulas].includes(measure ?? ''));
  return (
    (!computed || cells.every(({ measure }) => measure === computed.measure)) &&
    cells.every(isFull) &&
    isApart(cells.map(({ row }) => row)) &&
    isApart(cells.map(({ column }) => column))
  );
}

/** Whether no path leads to another one. */
const isApart = (paths: readonly (readonly string[])[]): boolean =>
  paths.every((path) =>
    paths.every(
      (other) => path.length >= other.length || path.some((part, i) => part !== other[i]),
    ),
  );

const grid = (cells: readonly SeenCell[]): [xs: number[], ys: number[]] => {
  const sorted = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);
  return [sorted(cells.map(({ at }) => at.x)), sorted(cells.map(({ at }) => at.y))];
};
