/** How a person divides the room of the pivot page. It is stored in the browser. */
import { keep, kept } from '$lib/client/storage';

const PANEL = 'pf.panel';
const LOG = 'pf.log';
const LOG_HEIGHT = 'pf.log-height';
const USUAL_LOG_HEIGHT = 300;
/** Smallest height of the log, and of the pivot above it, in pixels. */
export const LEAST_HEIGHT = 160;

export class PageRoom {
  private panelOpen = $state(kept(PANEL) !== 'folded');
  private logOpen = $state(kept(LOG) === 'open');
  private height = $state(Number(kept(LOG_HEIGHT)) || USUAL_LOG_HEIGHT);

  /** Whether the panel of the selection is shown. */
  get isPanelOpen(): boolean {
    return this.panelOpen;
  }

  set isPanelOpen(isOpen: boolean) {
    this.panelOpen = isOpen;
    keep(PANEL, isOpen ? null : 'folded');
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
}
