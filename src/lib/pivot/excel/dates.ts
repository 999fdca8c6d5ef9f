import { DAY_MS } from '../../contract/primitives';
import type { LabelStyle } from '../values/labels';

/** The number of 1970-01-01 in a sheet. */
const EPOCH = 25_569;
/** Before March 1900 a sheet counts a day that never was; after 9999 it counts none. */
const FIRST = 61;
const END = 2_958_466;

/** A point in time as a sheet counts days; null if it cannot. @param ms epoch milliseconds in UTC */
export function serialOf(ms: number): number | null {
  const serial = ms / DAY_MS + EPOCH;
  return serial >= FIRST && serial < END ? serial : null;
}

/** How a sheet writes each kind of time, as the grid does. */
export const DATE_FORMATS: Readonly<Partial<Record<LabelStyle, string>>> = {
  date: 'yyyy-mm-dd',
  datetime: 'yyyy-mm-dd hh:mm:ss',
  month: 'mmm yyyy',
  year: 'yyyy',
};
