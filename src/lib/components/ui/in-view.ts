/** Brings what went wrong into view. */

/**
 * An attachment that scrolls a dialog to an element that appears in it: on a small screen, a message below the other
 * fields would not be seen.
 */
export function inView(element: HTMLElement): void {
  if (element.closest('[role="dialog"]')) element.scrollIntoView({ block: 'nearest' });
}
