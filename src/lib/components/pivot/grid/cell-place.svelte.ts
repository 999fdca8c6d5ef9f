/** Places a field over a cell of the grid. */

/** A place in pixels. */
interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Distance from the left edge of the grid in pixels, below which a box may begin at the left edge of its cell. */
const NEAR_LEFT = 320;

/** Keeps a field over its cell while the grid is scrolled or redrawn. */
export class CellPlace {
  /** The place inside the frame; null until the cell is found. It stays while the cell is not drawn. */
  box = $state.raw<Box | null>(null);
  /** The width of the frame in pixels. */
  private frameWidth = $state(0);

  /**
   * The place of the box below the field. It begins at the left edge of the field (`isRightward`), or ends at the
   * right edge; `room` is its largest width in pixels.
   */
  readonly side = $derived.by(() => {
    const { left, width } = this.box ?? { left: 0, width: 0 };
    const [toLeft, toRight] = [left + width, this.frameWidth - left];
    const isRightward = left < NEAR_LEFT && toRight > toLeft;
    return { isRightward, room: isRightward ? toRight : toLeft };
  });

  /**
   * Follows a cell in every frame of the browser.
   *
   * @param elementOf returns the element of the cell; null while it is not drawn
   * @param frame the element that contains the field
   * @returns ends it
   */
  follow(elementOf: () => Element | null | undefined, frame: Element | undefined): () => void {
    this.box = null;
    const follow = () => {
      const cell = elementOf()?.getBoundingClientRect();
      const origin = frame?.getBoundingClientRect();
      if (cell && origin) {
        const { width, height } = cell;
        this.frameWidth = origin.width;
        this.box = { left: cell.left - origin.left, top: cell.top - origin.top, width, height };
      }
      request = requestAnimationFrame(follow);
    };
    let request = requestAnimationFrame(follow);
    return () => cancelAnimationFrame(request);
  }
}
