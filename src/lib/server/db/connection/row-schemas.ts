/** Schemas that rows of the database share. */
import * as v from 'valibot';
import { byColumn } from '../../../contract/primitives';
import type { SqlText } from '../../sql/quote';
import { trusted } from '../../sql/trusted';

/** Parts of the schemas that rows of the database are read by. */

/** SQL that the database itself keeps: a stored template, or a type as `format_type` prints it. */
export const storedSql = v.pipe(
  v.string(),
  v.transform((text): SqlText => trusted(text)),
);

/** A number of a table, or a sum of them; NaN and infinity are numbers there. */
export const tableNumber = v.union([v.number(), v.nan()]);

/** A row of a source's own columns. */
export const tableRow = byColumn(v.nullable(v.union([v.string(), tableNumber, v.boolean()])));

/** A row without its columns of null: answers leave out what does not apply. */
export const withoutNulls = <Row extends object>(row: Row) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
