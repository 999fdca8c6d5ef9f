/** The attributes that lookups add to the rows of a source (docs/contract/24-lookups.md). */
import { problemOfLabels } from '../../../contract/lookups';
import type { Queryable } from '../../db/connection/queryable';
import type { TableColumn } from '../../db/setup/catalog';
import { columnsOfTables } from '../../db/setup/catalog';
import type { StoredLookup } from '../../db/setup/lookups';
import { uniqueColumns } from '../../db/setup/lookups';
import { AppError } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { Attribute, BrokenAttribute, LookupFault } from '../../sql/lookups';
import { joinLookup } from '../../sql/lookups';

const cannotBeJoined = ({ name }: { name: string }, problem: string): string =>
  `The lookup “${name}” cannot be joined: ${problem}`;

/** The refusal of a request that needs a lookup with a problem. */
export const unjoined = (lookup: { name: string }, problem: string): AppError =>
  new AppError(409, cannotBeJoined(lookup, problem));

/** A stored lookup with its attributes, or with the reason why it cannot be joined. */
export type CheckedJoin = { lookup: StoredLookup } & (
  LookupFault | Exclude<ReturnType<typeof joinLookup>, LookupFault>
);

/**
 * Joins lookups with the columns of their source and of their tables. Whether their keys are unique is checked by
 * each statement that uses them.
 *
 * @param names the names of all columns of the source, which attributes must not have
 * @param tables the columns of their tables, if they are known
 */
export async function joinLookups(
  db: Queryable,
  lookups: readonly StoredLookup[],
  columns: readonly ForecastColumn[],
  names: readonly { cname: string }[],
  tables?: readonly (readonly TableColumn[])[],
): Promise<CheckedJoin[]> {
  if (lookups.length === 0) return [];
  const found = tables ?? (await columnsOfTables(db, lookups));
  const uniques = await uniqueColumns(db, lookups);
  return lookups.map((lookup, i) => {
    const problem = problemOfLabels(lookup, names);
    if (problem) return { lookup, ...problem };
    return { lookup, ...joinLookup(lookup, columns, found[i] ?? [], uniques[i] ?? []) };
  });
}

/**
 * The attributes of some lookups. Those of a lookup with a problem have the problem, and so have those that are gone.
 *
 * @param former names of attributes that are gone, or are there again
 */
export function attributesOf(
  lookups: readonly CheckedJoin[],
  former: readonly string[],
): (Attribute | BrokenAttribute)[] {
  const present = lookups.flatMap((each): (Attribute | BrokenAttribute)[] =>
    'problem' in each
      ? each.lookup.attributes.map(({ label }) => ({
          name: label,
          problem: cannotBeJoined(each.lookup, each.problem),
        }))
      : each.attributes,
  );
  const gone = former.filter((name) => !present.some((each) => each.name === name));
  return [
    ...present,
    ...gone.map((name) => ({ name, problem: `The lookup of “${name}” is gone; reload the page` })),
  ];
}
