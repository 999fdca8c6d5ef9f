/** How a person divides the room of the pivot page. It is stored in the browser. */
import { keep, kept } from '$lib/client/storage';

const PANEL = 'pf.panel';
const LOG = 'pf.log';
const LOG_HEIGHT = 'pf.log-height';
const USUAL_LOG_HEIGHT = 300;
/** Columns of the log whose texts are cut; the note takes the remaining room. */
export type LogColumn = 'operation' | 'selection';
const LOG_COLUMN = { operation: 'pf.log-operation', selection: 'pf.log-selection' } as const;
const keptWidth = (column: LogColumn) => Number(kept(LOG_COLUMN[column])) || null;
/** Smallest height of the log, and of the pivot above it, in pixels. */
export const LEAST_HEIGHT = 160;

/** Windows in which the panel is below the pivot, such as those of phones. The style of PivotPage has the same width. */
const SMALL = '(max-width: 36rem)';

export class PageRoom {
  /** A small window begins with the pivot alone. It stores nothing about its panel. */
  private readonly isSmall = matchMedia(SMALL).matches;
  private panelOpen = $state(!this.isSmall && kept(PANEL) !== 'folded');
  private logOpen = $state(kept(LOG) === 'open');
  private height = $state(Number(kept(LOG_HEIGHT)) || USUAL_LOG_HEIGHT);
  private widths = $state({
    operation: keptWidth('operation'),
    selection: keptWidth('selection'),
  });

  /** Whether the panel of the selection is shown. */
  get isPanelOpen(): boolean {
    return this.panelOpen;
  }

  set isPanelOpen(isOpen: boolean) {
    this.panelOpen = isOpen;
    if (!this.isSmall) keep(PANEL, isOpen ? null : 'folded');
  }

  /** Whether the log is shown. */
  get isLogOpen(): boolean {
    return this.logOpen;
  }

  set isLogOpen(isOpen: boolean) {
    this.logOpen = isOpen;
    keep(LOG, isOpen ? 'open' : null);
  }

  /** Height of the log in pixels. */
  get logHeight(): number {
    return this.height;
  }

  set logHeight(height: number) {
    this.height = height;
    keep(LOG_HEIGHT, String(height));
  }

  /** Widths of columns of the log in pixels; null for the width that fits their texts. */
  get logWidths(): Readonly<Record<LogColumn, number | null>> {
    return this.widths;
  }

  setLogWidth(column: LogColumn, width: number): void {
    this.widths[column] = width;
    keep(LOG_COLUMN[column], String(width));
  }
}
