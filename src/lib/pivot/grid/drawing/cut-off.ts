/** Marks the column of the grid that is cut off at the right, so that it is drawn faded. */
import type { RegularTable } from '../../values/engine-types';

/** Largest width that is faded, in pixels. */
const MOST_FADED = 48;

/** Tells the styles of the grid how much of a column that is cut off at the right can be seen. */
export function markCutOff(table: RegularTable): void {
  const root = table.getRootNode();
  if (!(root instanceof ShadowRoot) || !(root.host instanceof HTMLElement)) return;
  // Scrollbars may be drawn over the content, and then have no width.
  const [beside, below] = [
    table.offsetWidth - table.clientWidth,
    table.offsetHeight - table.clientHeight,
  ];
  const edge = table.getBoundingClientRect().right - beside;
  const cut = [...table.querySelectorAll('thead tr:last-child th')].find(
    (th) => th.getBoundingClientRect().right > edge + 1,
  );
  const seen = cut ? edge - cut.getBoundingClientRect().left : 0;
  const width = Math.min(Math.max(seen, 0), MOST_FADED);
  const { style } = root.host;
  style.setProperty('--pf-cut-width', `${width}px`);
  style.setProperty('--pf-scrollbar-beside', `${beside}px`);
  style.setProperty('--pf-scrollbar-below', `${below}px`);
}
