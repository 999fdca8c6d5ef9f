import { Answers } from '../waiting';
import { valueKey } from '../values/cell-value';
import type { CellValue, EngineTable } from '../values/engine-types';

/**
 * What the values of an expression stand for: a month bucket stands for the days in it. Each tuple
 * is a combination of values of `columns`, the columns that the expression needs.
 */
export interface Underlying {
  columns: readonly string[];
  /** Every combination that occurs, with the key of the value it stands under. */
  tuples: readonly { value: string; tuple: readonly CellValue[] }[];
}

/** The source values behind some values of an expression, one list per column. */
export type Behind =
  | { kind: 'lists'; lists: ReadonlyMap<string, readonly CellValue[]> }
  /** No combination that the cell's other conditions admit stands under these values. */
  | { kind: 'nothing' }
  /** Lists of values would select rows that stand under another value too. */
  | { kind: 'mixed' }
  /** The expression takes none of these values in any row: it gives other values each time. */
  | { kind: 'unknown' };

/**
 * The lists of source values that select exactly the rows under some values of an expression, among
 * the rows that `admitted` lets through. There are none if a combination stands under these values
 * and under another one, or if the lists have combinations that stand under another one.
 *
 * @param admitted what the cell's other conditions say of a column; undefined if they say nothing
 */
export function behindValues(
  { columns, tuples }: Underlying,
  values: readonly CellValue[],
  admitted: (column: string) => readonly CellValue[] | undefined,
): Behind {
  const admittedKeys = columns.map((column) => admitted(column)?.map(valueKey));
  const isAdmitted = (tuple: readonly CellValue[]) =>
    tuple.every((value, i) => admittedKeys[i]?.includes(valueKey(value)) ?? true);
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

/** Needed columns by expression, kept as long as the table. */
const known = new WeakMap<EngineTable, Answers<readonly string[]>>();

/**
 * The columns of a table that an expression needs. The engine itself tells: it does not accept the
 * expression on a table that lacks one of them.
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
 * Whether an expression may need a column, by their texts: it has the column's name in it, unless it writes
 * something in another way, or makes a name while it is computed.
 */
export const couldNeed = (expression: string, column: string): boolean =>
  expression.includes(column) || /\\|vlookup/i.test(expression) || /["\\]/.test(column);
