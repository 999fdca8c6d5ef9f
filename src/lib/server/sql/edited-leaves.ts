/** SQL text that finds the leaves of many slices at once. */
import type { AskedSlice } from '../../contract/slices';
import { isDateRange } from '../../contract/slices';
import { UnusableValue } from '../../contract/unusable';
import { columnPlace, faultAt } from '../errors';
import type { ForecastColumn } from './forecast-columns';
import { leafColumns, toldApart } from './forecast-columns';
import type { Identifier, SqlText } from './quote';
import { commas, ident, join, sql } from './quote';
import { compileSlice } from './slice';
import { valueLiteral } from './values';

/** A slice, with further values of its edit as literals. */
export interface EditedSlice {
  /** Tells edits apart. */
  number: number;
  slice: AskedSlice;
  values: readonly SqlText[];
}

/** Edits whose slices name the same columns in the same way, so that one join finds their leaves. */
interface Batch {
  /** Joins a leaf with the columns `edit.k0`, `edit.k1`, …. */
  conditions: SqlText[];
  keys: number;
  lines: SqlText[];
}

/**
 * Returns a query of the leaves of some slices: the columns of the CTE `leaves`, the number of the edit, and its
 * values. A leaf in several slices is answered for each of them. Equality of single values becomes a hash join, so
 * thousands of slices are found in one pass.
 *
 * @param names of the number and of the values
 * @throws AppError 400 as {@link compileSlice}, and for a name that is no dimension or date column: without it, the
 * slice would have more rows than the cell
 */
export function editedLeaves(
  edits: readonly EditedSlice[],
  columns: readonly ForecastColumn[],
  names: readonly Identifier[],
): SqlText {
  const batches = new Map<string, Batch>();
  for (const edit of edits) {
    const { conditions, keys } = keysOf(edit, columns);
    const form = join(conditions, sql` AND `);
    const batch = batches.get(form) ?? { conditions, keys: keys.length, lines: [] };
    batch.lines.push(sql`(${commas([sql`${edit.number}`, ...edit.values, ...keys])})`);
    batches.set(form, batch);
  }
  const queries = [...batches.values()].map(({ conditions, keys, lines }) => {
    const own = [...names, ...Array.from({ length: keys }, (_, i) => key(i))];
    return sql`SELECT leaves.*, ${commas(names.map((name) => sql`edit.${name}`))}
    FROM leaves
    JOIN (VALUES
        ${join(lines, sql`,\n        `)}
    ) AS edit (${commas(own)})
        ON ${conditions.length > 0 ? join(conditions, sql` AND `) : sql`TRUE`}`;
  });
  return join(queries, sql`\n    UNION ALL\n    `);
}

const key = (i: number): Identifier => ident(`pf_key_${i}`);

/** Returns the conditions that join a slice with its leaves, and the literals of the keys in them. */
function keysOf(
  { number, slice }: EditedSlice,
  columns: readonly ForecastColumn[],
): { conditions: SqlText[]; keys: SqlText[] } {
  const at = `edits.${number}.slice`;
  const [unknown] = compileSlice(slice, columns, at).skipped;
  if (unknown !== undefined) {
    const { field, column } = columnPlace(at, unknown);
    const place = { words: `edits.${number}: slice: ${unknown}`, field, column };
    throw faultAt(place, 400, 'is not a dimension or date column of the source');
  }
  const conditions: SqlText[] = [];
  const keys: SqlText[] = [];
  for (const [name, wanted] of Object.entries(slice).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const column = leafColumns(columns).find((c) => c.name === name);
    if (!column || wanted instanceof UnusableValue) continue;
    const place = columnPlace(at, name);
    const leaf = sql`leaves.${ident(name)}`;
    const compared = (value: string | number | boolean, operator: SqlText) => {
      conditions.push(sql`${toldApart(column, leaf)} ${operator} edit.${key(keys.length)}`);
      keys.push(toldApart(column, valueLiteral(value, column.type, place)));
    };
    const only = Array.isArray(wanted) && wanted.length === 1 ? (wanted[0] ?? null) : wanted;
    if (isDateRange(only)) {
      if (only.from !== undefined) compared(only.from, sql`>=`);
      if (only.to !== undefined) compared(only.to, sql`<=`);
    } else if (only !== null && !Array.isArray(only)) compared(only, sql`=`);
    else conditions.push(compileSlice({ [name]: only }, columns, at).where);
  }
  return { conditions, keys };
}
