/** The part of a source that the sender of a request may read and change. */
import type { Slice } from '../../../contract/slices';
import { isWhole } from '../../../contract/slices';
import type { OwnTerritory } from '../../db/people/territories';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { either, sql } from '../../sql/quote';
import { type RowKey, rowKey } from '../../sql/readable-rows';
import { storedCondition } from './stored-slice';

/** Territories of the sender, compiled to conditions on a forecast table. */
export interface Part {
  read: readonly Slice[];
  write: readonly Slice[];
  /** The rows that the sender may read. */
  readable: SqlText;
  /** The rows that the sender may change; they are readable too. */
  changeable: SqlText;
  /** How the numbers of rows are hidden from the sender; undefined if they read all rows, but do not change all. */
  rowKey: RowKey | undefined;
}

/**
 * The part of a version's source that some territories cover; undefined if the sender may read and change all
 * of it. Territories add up.
 *
 * @param territories of the sender
 * @param versionId whose rows are read
 * @throws AppError 409 if a column of one has changed its role or type, since its rows are then unknown
 */
export function partOf(
  territories: readonly OwnTerritory[],
  columns: readonly ForecastColumn[],
  versionId: number,
): Part | undefined {
  const read = territories.map((territory) => territory.read);
  const write = territories.map((territory) => territory.write).filter((slice) => slice !== null);
  const readsAll = read.some(isWhole);
  if (readsAll && write.some(isWhole)) return undefined;
  const readable = anyOf(read, columns);
  const changeable = sql`${readable} AND ${anyOf(write, columns)}`;
  const key = readsAll ? undefined : rowKey(`${territories[0]?.row_key ?? ''} ${versionId}`);
  return { read, write, readable, changeable, rowKey: key };
}

/**
 * The rows in any of some stored slices, as a condition on a forecast table; none without a slice.
 *
 * @throws AppError 409 if a column of one has changed its role or type, since its rows are then unknown
 */
export const anyOf = (slices: readonly Slice[], columns: readonly ForecastColumn[]): SqlText =>
  slices.some(isWhole)
    ? sql`TRUE`
    : slices.length === 0
      ? sql`FALSE`
      : sql`(${either(slices.map((slice) => conditionOf(slice, columns)))})`;

const conditionOf = (slice: Slice, columns: readonly ForecastColumn[]): SqlText =>
  storedCondition(
    slice,
    { columns, attributes: [] },
    'territory',
    (problem) =>
      `The columns have changed since a territory of this source was made (${problem}); an admin has to change them back, or to change the territory`,
  );
