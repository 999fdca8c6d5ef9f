/** Places a field over a cell of the grid. */

/** A place in pixels. */
interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Keeps a field over its cell while the grid is scrolled or redrawn. */
export class CellPlace {
  /** The place inside the frame; null until the cell is found. It stays while the cell is not drawn. */
  box = $state.raw<Box | null>(null);

  /**
   * Follows a cell in every frame of the browser.
   *
   * @param elementOf returns the element of the cell; null while it is not drawn
   * @param frame the element that contains the field
   * @returns ends it
   */
  follow(elementOf: () => Element | null | undefined, frame: Element | undefined): () => void {
    const follow = () => {
      const cell = elementOf()?.getBoundingClientRect();
      const origin = frame?.getBoundingClientRect();
      if (cell && origin) {
        const { width, height } = cell;
        this.box = { left: cell.left - origin.left, top: cell.top - origin.top, width, height };
      }
      request = requestAnimationFrame(follow);
    };
    let request = requestAnimationFrame(follow);
    return () => cancelAnimationFrame(request);
  }
}
