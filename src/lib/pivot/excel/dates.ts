/** Dates as Excel stores and formats them. */
import { DAY_MS } from '../../contract/primitives';
import type { LabelStyle } from '../values/labels';

/** Serial number of 1970-01-01 in a sheet. */
const EPOCH = 25_569;
/**
 * Range of valid serial numbers: before March 1900 sheets count a day that never existed, and they end with
 * the year 9999.
 */
const FIRST = 61;
const END = 2_958_466;

/**
 * Returns the serial number of a point in time in a sheet; null if it has none. @param ms epoch milliseconds
 * in UTC
 */
export function serialOf(ms: number): number | null {
  const serial = ms / DAY_MS + EPOCH;
  return serial >= FIRST && serial < END ? serial : null;
}

/** Returns the point in time of a serial number, in epoch milliseconds in UTC. */
export const momentOf = (serial: number): number => Math.round((serial - EPOCH) * DAY_MS);

/** Excel formats for each unit of time, equal to those of the grid. */
export const DATE_FORMATS: Readonly<Partial<Record<LabelStyle, string>>> = {
  date: 'yyyy-mm-dd',
  datetime: 'yyyy-mm-dd hh:mm:ss',
  month: 'mmm yyyy',
  year: 'yyyy',
};
