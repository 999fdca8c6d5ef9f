/** The texts of the comments on cells. */
import type { Slice } from '../../../contract/slices';
import { cellKey, type CellIdentity } from '../../slice/cell';
import { endsInOthers } from '../../values/others';
import type { Reach } from '../cells/reach';

/** A slice whose cells are marked, such as a locked one. */
export interface MarkedSlice {
  slice: Slice;
  /** Text that its cells show on hover: who locked it and why, or the comment on it. */
  text: string;
}

/** The cells that a slice reaches, and the text that they show. */
export interface MarkedReach {
  reach: Reach;
  text: string;
}

/**
 * The texts of the comments on the cells of one view. Each cell is judged when it is first drawn, and a cell in a row
 * "Others" at each drawing.
 */
export class CommentTexts {
  /** By row and column; null without a comment. */
  private readonly known = new Map<string, string | null>();

  constructor(private readonly comments: readonly MarkedReach[]) {}

  /**
   * Returns the texts of the comments whose slices hold all rows of a cell, one per line; null without any. The
   * whole version holds every cell, so a comment on it is shown only for its total.
   */
  on({ rowPath, columnPath }: CellIdentity): string | null {
    if (this.comments.length === 0) return null;
    const cell = { rowPath, columnPath, measure: null };
    // A row "Others" may stand for other groups by the next drawing.
    if (endsInOthers(rowPath)) return this.textOn(cell);
    const key = cellKey(cell);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const text = this.textOn(cell);
    this.known.set(key, text);
    return text;
  }

  private textOn(cell: CellIdentity): string | null {
    const { rowPath, columnPath } = cell;
    const isTotal = rowPath.length === 0 && !columnPath?.length;
    const texts = this.comments
      .filter(({ reach }) => reach.holds(cell) && (isTotal || !reach.isOfAll))
      .map(({ text }) => text);
    return texts.length > 0 ? texts.join('\n') : null;
  }
}
