/** Source values behind the values of an expression. */
import { Answers } from '../waiting';
import { valueKey } from '../values/cell-value';
import type { CellValue, EngineTable } from '../values/engine-types';

/**
 * The source values behind the values of an expression, such as the days of a month. Each tuple is a
 * combination of values of `columns`, the columns that the expression needs.
 */
export interface Underlying {
  columns: readonly string[];
  /** Every combination that occurs, with the key of the expression's value for it. */
  tuples: readonly { value: string; tuple: readonly CellValue[] }[];
}

/** The source values behind some values of an expression, one list per column. */
type Behind =
  | { kind: 'lists'; lists: ReadonlyMap<string, readonly CellValue[]> }
  /** None of the combinations that the cell's other conditions admit has these values. */
  | { kind: 'nothing' }
  /** Lists of source values would also select rows with other values of the expression. */
  | { kind: 'mixed' }
  /** The expression has none of these values in any row: its values change with each evaluation. */
  | { kind: 'unknown' };

/**
 * Returns the lists of source values that select exactly the rows with some values of an expression, among
 * the rows that `admitted` lets through. There are no such lists if a combination has these values and also
 * another one, or if the lists also contain combinations that have another one.
 *
 * @param admitted values of a column that the cell's other conditions admit; undefined if they do not
 * restrict it
 */
export function behindValues(
  { columns, tuples }: Underlying,
  values: readonly CellValue[],
  admitted: (column: string) => readonly CellValue[] | undefined,
): Behind {
  const admittedKeys = columns.map((column) => {
    const values = admitted(column);
    return values && new Set(values.map(valueKey));
  });
  const isAdmitted = (tuple: readonly CellValue[]) =>
    tuple.every((value, i) => admittedKeys[i]?.has(valueKey(value)) ?? true);
  const wanted = new Set(values.map(valueKey));
  if (!tuples.some(({ value }) => wanted.has(value))) return { kind: 'unknown' };
  const inside = tuples.filter(({ value, tuple }) => wanted.has(value) && isAdmitted(tuple));
  if (inside.length === 0) return { kind: 'nothing' };

  const lists = columns.map(
    (_, i) => new Map(inside.map(({ tuple }) => [valueKey(tuple[i] ?? null), tuple[i] ?? null])),
  );
  const isMixed = tuples.some(
    ({ value, tuple }) =>
      !wanted.has(value) && tuple.every((part, i) => lists[i]?.has(valueKey(part))),
  );
  if (isMixed) return { kind: 'mixed' };
  return {
    kind: 'lists',
    lists: new Map(columns.map((column, i) => [column, [...(lists[i]?.values() ?? [])]])),
  };
}

/** Cached columns by expression, for the lifetime of the table. */
const known = new WeakMap<EngineTable, Answers<readonly string[]>>();

/**
 * Returns the columns of a table that an expression needs: the engine rejects the expression on a table that
 * lacks one of them.
 */
export function neededColumns(table: EngineTable, expression: string): Promise<readonly string[]> {
  const ofTable = known.get(table) ?? new Answers();
  known.set(table, ofTable);
  return ofTable.get(expression, () => askEngine(table, expression));
}

async function askEngine(table: EngineTable, expression: string): Promise<readonly string[]> {
  const [client, schema] = await Promise.all([table.get_client(), table.schema()]);
  const columns = Object.keys(schema).filter((name) => couldNeed(expression, name));
  const isNeeded = await Promise.all(
    columns.map(async (column) => {
      const others = Object.entries(schema).filter(([name]) => name !== column);
      const probe = await client.table(Object.fromEntries(others));
      try {
        const { expression_schema } = await probe.validate_expressions({ probe: expression });
        return !Object.hasOwn(expression_schema, 'probe');
      } finally {
        await probe.delete();
      }
    }),
  );
  return columns.filter((_, i) => isNeeded[i]);
}

/**
 * Checks by text whether an expression may need a column: it contains the column's name, or it may refer to
 * the column without it, by an escape sequence or a name that is computed.
 */
export const couldNeed = (expression: string, column: string): boolean =>
  expression.includes(column) || /\\|vlookup/i.test(expression) || /["\\]/.test(column);
