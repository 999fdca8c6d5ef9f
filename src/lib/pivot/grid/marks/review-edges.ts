/** The edges of rows that are in a review. */
import type { ReviewState } from '../../../contract/reviews';
import type { Slice } from '../../../contract/slices';
import type { CellIdentity } from '../../slice/cell';
import type { Reach } from '../cells/reach';

/** A slice that is in a review, the state of the review, and the text that its cells show on hover. */
export interface ReviewMark {
  slice: Slice;
  text: string;
  state: ReviewState;
}

/** The reviews on the cells of one view. */
export class ReviewEdges {
  constructor(
    private readonly reviews: readonly (Omit<ReviewMark, 'slice'> & { reach: Reach })[],
  ) {}

  /**
   * Marks a cell or row header with the state of the first review whose slice holds all of its rows. A cell is
   * left unmarked if its row header has the mark, and one of the whole version marks only the total.
   *
   * @returns the text of the cell; null without a review
   */
  mark(element: Element, cell: CellIdentity | null): string | null {
    const row = cell && { ...cell, columnPath: null, measure: null };
    const isHeader = element.tagName === 'TH';
    const held = cell && this.on(isHeader && row ? row : cell);
    const isMarked = held && (isHeader || !(row && this.on(row)));
    if (isMarked) element.setAttribute('data-review', held.state);
    else element.removeAttribute('data-review');
    return held?.text ?? null;
  }

  private on(cell: CellIdentity) {
    const isTotal = cell.rowPath.length === 0;
    return this.reviews.find(({ reach }) => reach.holds(cell) && (isTotal || !reach.isOfAll));
  }
}
