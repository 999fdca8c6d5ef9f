/** How a person divides the room of the pivot page. It is stored in the browser. */
import { keep, kept } from '$lib/client/storage';

const PANEL = 'pf.panel';
const LOG = 'pf.log';
const LOG_HEIGHT = 'pf.log-height';
const USUAL_LOG_HEIGHT = 300;
/** Smallest height of the log, and of the pivot above it, in pixels. */
export const LEAST_HEIGHT = 160;

export class PageRoom {
  private isPanelOpen = $state(kept(PANEL) !== 'folded');
  private isLogOpen = $state(kept(LOG) === 'open');
  private logHeight = $state(Number(kept(LOG_HEIGHT)) || USUAL_LOG_HEIGHT);

  /** Whether the panel of the selection is shown. */
  get isPanelOpen(): boolean {
    return this.isPanelOpen;
  }

  set isPanelOpen(isOpen: boolean) {
    this.isPanelOpen = isOpen;
    keep(PANEL, isOpen ? null : 'folded');
  }

  /** Whether the log is shown. */
  get isLogOpen(): boolean {
    return this.isLogOpen;
  }

  set isLogOpen(isOpen: boolean) {
    this.isLogOpen = isOpen;
    keep(LOG, isOpen ? 'open' : null);
  }

  /** Height of the log in pixels. */
  get logHeight(): number {
    return this.logHeight;
  }

  set logHeight(height: number) {
    this.logHeight = height;
    keep(LOG_HEIGHT, String(height));
  }
}
