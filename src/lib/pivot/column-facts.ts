import type { Vector } from 'apache-arrow';
import { DataType, tableFromIPC } from 'apache-arrow';

/** What is known of a loaded column before the engine has it. */
export interface ColumnFacts {
  /** How many different values it has, the empty one among them; not counted beyond {@link MANY}. */
  distinct: number;
  /** How many months its days lie in; 0 for a column that is no date. */
  months: number;
  /** The values of a text, null for the empty one, where they are {@link FEW} at most; null else. */
  texts: (string | null)[] | null;
}

const FEW = 25;
/** More than any question here asks for, and days of half a century. */
const MANY = 20_000;

/**
 * Facts about columns of an Arrow stream of one record batch. Read from its dictionaries they cost
 * next to nothing; the engine would build a view over all rows for each.
 *
 * @param names columns to look at; those that the stream does not have are left out
 */
export function columnFacts(
  bytes: ArrayBuffer,
  names: readonly string[],
): ReadonlyMap<string, ColumnFacts> {
  const table = tableFromIPC(bytes);
  const facts = new Map<string, ColumnFacts>();
  for (const name of names) {
    const column = table.getChild(name);
    if (column) facts.set(name, factsOf(column));
  }
  return facts;
}

function factsOf(column: Vector): ColumnFacts {
  const dictionary = column.data[0]?.dictionary;
  if (dictionary) {
    const distinct = dictionary.length + (column.nullCount > 0 ? 1 : 0);
    const texts = distinct > FEW ? null : (values(dictionary) as string[]);
    return {
      distinct,
      months: 0,
      texts: texts && (column.nullCount > 0 ? [...texts, null] : texts),
    };
  }
  const found = values(column);
  const days = DataType.isDate(column.type) ? found.filter((day) => day !== null) : [];
  const months = new Set(
    days.map((day) => {
      const date = new Date(day as number);
      return 12 * date.getUTCFullYear() + date.getUTCMonth();
    }),
  );
  return { distinct: found.length, months: months.size, texts: null };
}

/** The different values of a column, {@link MANY} at most. */
function values(column: Vector): unknown[] {
  const found = new Set<unknown>();
  for (let i = 0; i < column.length && found.size < MANY; i++) found.add(column.get(i));
  return [...found];
}
