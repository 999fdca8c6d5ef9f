/** The cells whose rows nobody, or not this user, may change. */
import type { CellIdentity } from '../../slice/cell';
import type { MarkedReach } from './comment-texts';
import type { Reach } from '../cells/reach';

/** The text of cells whose rows the user may see but not change. */
const BEYOND = 'You may see these rows but not change them';

/** Finds cells whose rows are all locked, or all outside what the user may change. */
export class LockedCells {
  /**
   * @param locks of the version
   * @param changeable what the user may change; null for everything
   */
  constructor(
    private readonly locks: readonly MarkedReach[],
    private readonly changeable: readonly Reach[] | null,
  ) {}

  /** Returns the text of a locked cell, which may be empty; null for any other cell. */
  textOf(cell: CellIdentity): string | null {
    if (this.changeable?.every((reach) => reach.misses(cell))) return BEYOND;
    return this.locks.find(({ reach }) => reach.holds(cell))?.text ?? null;
  }
}
