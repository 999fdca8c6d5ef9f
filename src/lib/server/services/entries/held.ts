/** Rows that a scale, a reverse or a recode leaves unchanged: those of `hold`, and locked ones. */
import type { AskedSlice } from '../../../contract/slices';
import type { SqlText } from '../../sql/quote';
import { either, sql } from '../../sql/quote';
import type { ForecastVersion } from '../version/forecast-version';
import { selectingSlice } from '../version/forecast-version';

/** A slice whose rows a scale leaves unchanged. */
export interface HeldSlice {
  slice: AskedSlice;
  /** Names the slice in an error: its field in the body, its lock, or its review. */
  at: string;
}

/** Rows that a scale leaves unchanged. */
export interface HeldRows {
  /** A condition on the forecast table. It is null for some rows that are not held. */
  where: SqlText;
  /** Keys of the slices that are not dimension or date columns. */
  skipped: string[];
}

/**
 * The slices whose rows a scale leaves as they are: those that its request names, then those that locks and reviews hold
 * (docs/contract/14-what-the-operations-compute.md#hold).
 */
export const heldSlices = (
  hold: readonly AskedSlice[] | null | undefined,
  locked: readonly HeldSlice[],
): HeldSlice[] => [...(hold ?? []).map((slice, i) => ({ slice, at: `hold.${i}` })), ...locked];

/**
 * The rows in any of some slices, for a scale to leave them alone and spread its change over the rest
 * (docs/contract/14-what-the-operations-compute.md#hold).
 *
 * @returns undefined if no slice is held
 * @throws AppError 400, 409 as {@link selectingSlice}
 */
export function heldRows(
  target: ForecastVersion,
  slices: readonly HeldSlice[],
): HeldRows | undefined {
  if (slices.length === 0) return undefined;
  const held = slices.map(({ slice, at }) => selectingSlice(target, slice, at));
  return {
    where: either(held.map(({ where }) => where)),
    skipped: held.flatMap(({ skipped }) => skipped),
  };
}

/** Excludes the held rows from a condition. */
export const withoutHeld = (where: SqlText, held: HeldRows | undefined): SqlText =>
  held ? sql`${where}\n    AND (${held.where}) IS NOT TRUE` : where;
