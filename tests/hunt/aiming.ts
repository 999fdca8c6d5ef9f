/** Chooses where on the screen to press. */
import type { HuntLayout } from './layout';
import { Broken, Refused } from './outcome';
import type { Aim } from './round';
import type { Point, Seen } from './watch';

/** The member of a list at a share of its length, from 0 to 1, without 1. */
export const at = <T>(list: readonly T[], share: number): T =>
  list[Math.floor(share * list.length)] as T;

/**
 * The point that an aim means.
 *
 * @throws Refused if filters leave nothing on screen; Broken if nothing is on screen without them
 */
export function pointAt(seen: Seen, { place, down, across }: Aim, layout: HuntLayout): Point {
  if (place === 'row' && seen.rows.length > 0) return at(seen.rows, down).header;
  if (place === 'head' && seen.heads.length > 0) return at(seen.heads, across).at;
  if (seen.cells.length === 0) {
    if (layout.filters.length === 0) throw new Broken('No cell is on screen');
    throw new Refused('The filters leave nothing on screen');
  }
  return at(seen.cells, (down * 7 + across * 3) % 1).at;
}
