/** Marks the column of the grid that is cut off at the right, so that it is drawn faded. */
import type { RegularTable } from '../values/engine-types';

/** Largest width that is faded, in pixels. */
const MOST_FADED = 48;

/** Tells the styles of the grid how much of a column that is cut off at the right can be seen. */
export function markCutOff(table: RegularTable): void {
  const root = table.getRootNode();
  if (!(root instanceof ShadowRoot) || !(root.host instanceof HTMLElement)) return;
  const scrollbar = table.offsetWidth - table.clientWidth;
  const edge = table.getBoundingClientRect().right - scrollbar;
  const cut = [...table.querySelectorAll('thead tr:last-child th')].find(
    (th) => th.getBoundingClientRect().right > edge + 1,
  );
  const seen = cut ? edge - cut.getBoundingClientRect().left : 0;
  const width = Math.min(Math.max(seen, 0), MOST_FADED);
  root.host.style.setProperty('--pf-cut-width', `${width}px`);
  root.host.style.setProperty('--pf-scrollbar', `${scrollbar}px`);
}
