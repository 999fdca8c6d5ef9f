/** The part of a source that the sender of a request may read and change. */
import { createHash } from 'node:crypto';
import type { Slice } from '../../../contract/slices';
import { isWhole } from '../../../contract/slices';
import { isOfObject } from '../../db/connection/failures';
import type { Queryable } from '../../db/connection/queryable';
import type { OwnTerritory } from '../../db/people/territories';
import { digestOfKeys, keysIn } from '../../db/setup/lookups';
import { AppError } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { MatchedRows } from '../../sql/lookups';
import { keysDigest, notUnique, repeatedKeys } from '../../sql/lookups';
import type { SqlText } from '../../sql/quote';
import { either, literal, sql } from '../../sql/quote';
import { type RowKey, rowKey } from '../../sql/readable-rows';
import type { CompiledSlice, SliceFields } from '../../sql/slice';
import { attributesOf, type CheckedJoin, unjoined } from './lookups';
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
  /** A digest of the keys that have the attributes of the territories now; null if they name no attribute. */
  keys: string | null;
}

/** What a territory can name: columns, and attributes of lookups. */
export interface TerritoryFields {
  columns: readonly ForecastColumn[];
  lookups: readonly CheckedJoin[];
}

/**
 * The part of a version's source that some territories cover; undefined if the sender may read and change all
 * of it. Territories add up.
 *
 * @param territories of the sender
 * @param versionId whose rows are read
 * @throws AppError 409 if a column of one has changed its role or type, or the lookup of an attribute cannot be joined,
 * since its rows are then unknown
 */
export async function partOf(
  db: Queryable,
  territories: readonly OwnTerritory[],
  fields: TerritoryFields,
  versionId: number,
): Promise<Part | undefined> {
  const read = territories.map((territory) => territory.read);
  const write = territories.map((territory) => territory.write).filter((slice) => slice !== null);
  const readsAll = read.some(isWhole);
  if (readsAll && write.some(isWhole)) return undefined;
  const matched = [...read, ...write].flatMap((slice) => compiled(slice, fields).matched);
  const keys = await matchedKeys(db, matched);
  // Caches name rows by the text of their condition, so the text contains the keys.
  const readable =
    keys === null
      ? anyOf(read, fields)
      : sql`(${anyOf(read, fields)} AND ${literal(keys)} IS NOT NULL)`;
  const changeable = sql`${readable} AND ${anyOf(write, fields)}`;
  const key = readsAll ? undefined : rowKey(`${territories[0]?.row_key ?? ''} ${versionId}`);
  return { read, write, readable, changeable, rowKey: key, keys };
}

/**
 * A digest of the keys of some rows of lookups; null without such rows.
 *
 * @throws AppError 409 if keys of a lookup are not unique, or its table cannot be read
 */
export async function matchedKeys(
  db: Queryable,
  matched: readonly MatchedRows[],
): Promise<string | null> {
  if (matched.length === 0) return null;
  const hash = createHash('sha256');
  // Slices that match the same rows have the same statement.
  const digests = new Map(matched.map((rows) => [keysDigest(rows), rows.attribute.lookup]));
  const unique = new Set<number>();
  for (const [digest, lookup] of digests) {
    try {
      if (!lookup.isUnique && !unique.has(lookup.id)) {
        const repeated = await keysIn(db, repeatedKeys(lookup, 1));
        if (repeated.length > 0) throw unjoined(lookup, notUnique(lookup));
      }
      unique.add(lookup.id);
      hash.update(await digestOfKeys(db, digest));
    } catch (error) {
      // The database's own sentence could name a key outside.
      throw isOfObject(error) ? unjoined(lookup, 'its table cannot be read') : error;
    }
  }
  return hash.digest('base64url');
}

/**
 * The rows in any of some stored slices, as a condition on a forecast table; none without a slice.
 *
 * @throws AppError 409 if a column of one has changed its role or type, or the lookup of an attribute cannot be joined,
 * since its rows are then unknown
 */
export const anyOf = (slices: readonly Slice[], fields: TerritoryFields): SqlText =>
  slices.some(isWhole)
    ? sql`TRUE`
    : slices.length === 0
      ? sql`FALSE`
      : sql`(${either(slices.map((slice) => compiled(slice, fields).where))})`;

const compiled = (slice: Slice, fields: TerritoryFields): CompiledSlice =>
  storedCondition(
    slice,
    fieldsFor(slice, fields),
    'territory',
    (problem) =>
      `The columns have changed since a territory of this source was made (${problem}); an admin has to change them back, or to change the territory`,
  );

/**
 * The columns and attributes that the slice of a territory can name.
 *
 * @throws AppError 409 if it names an attribute that has the name of a column now: the column could select other rows
 */
export function fieldsFor(slice: Slice, { columns, lookups }: TerritoryFields): SliceFields {
  const attributes = attributesOf(lookups, []);
  const ambiguous = attributes.find(
    (each) =>
      'problem' in each &&
      Object.hasOwn(slice, each.name) &&
      columns.some(({ name }) => name === each.name),
  );
  if (ambiguous && 'problem' in ambiguous) throw new AppError(409, ambiguous.problem);
  return { columns, attributes };
}
