/** Drags the header of a measure to another place. */

/** Distance in pixels from which a press becomes a drag. */
const FAR = 5;

/** A header, and the side of it on which the dragged one is dropped. */
interface Drop {
  header: Element;
  side: 'left' | 'right';
}

/** Follows a pressed header of a measure: it is dropped beside another one, or only clicked. */
export class HeadDrag {
  private from: { header: Element; x: number } | null = null;
  private drop: Drop | null = null;
  private isMoved = false;

  /**
   * @param root contains the headers
   * @param onClick is called if the mouse was not moved
   * @param onDrop is called if the header was dropped beside another one
   */
  constructor(
    private readonly root: () => ShadowRoot | null,
    private readonly onClick: (header: Element, event: MouseEvent) => void,
    private readonly onDrop: (header: Element, to: Drop) => void,
  ) {}

  /** Starts to follow a header that was pressed. */
  begin(header: Element, { clientX }: MouseEvent): void {
    this.end();
    this.from = { header, x: clientX };
    addEventListener('mousemove', this.move);
    addEventListener('mouseup', this.release);
    addEventListener('keydown', this.cancel, { capture: true });
  }

  private readonly move = (event: MouseEvent): void => {
    const { from } = this;
    // The button was released outside the window.
    if (!from || (event.buttons & 1) === 0) return this.end();
    this.isMoved ||= Math.abs(event.clientX - from.x) > FAR;
    const { clientX, clientY } = event;
    const header = this.root()?.elementFromPoint(clientX, clientY)?.closest('thead .pf-measure');
    if (!this.isMoved || !header) return this.mark(null);
    const { left, width } = header.getBoundingClientRect();
    this.mark({ header, side: clientX < left + width / 2 ? 'left' : 'right' });
  };

  private readonly release = (event: MouseEvent): void => {
    const { from, drop, isMoved } = this;
    this.end();
    if (!from) return;
    if (!isMoved) this.onClick(from.header, event);
    else if (drop) this.onDrop(from.header, drop);
  };

  private readonly cancel = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.end();
  };

  private end(): void {
    this.mark(null);
    this.from = null;
    this.isMoved = false;
    removeEventListener('mousemove', this.move);
    removeEventListener('mouseup', this.release);
    removeEventListener('keydown', this.cancel, { capture: true });
  }

  /** Shows where the header would be dropped. */
  private mark(drop: Drop | null): void {
    if (this.drop) this.drop.header.classList.remove(`pf-drop-${this.drop.side}`);
    if (drop) drop.header.classList.add(`pf-drop-${drop.side}`);
    this.drop = drop;
  }
}
