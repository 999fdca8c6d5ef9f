/** Counts the different values of loaded columns. */
import { Type, type Column } from '@uwdata/flechette';
import { monthNumberAt } from '../../contract/calendar';
import { dictionaryOf, type ArrowColumns } from './arrow-columns';

/** Facts about a loaded column, known before the engine has it. */
export interface ColumnFacts {
  /** Number of different values, including the empty value; counted up to {@link MANY}. */
  distinct: number;
  /** Number of calendar months of its days; 0 if the column is not a date. */
  months: number;
  /** The values of a text column, null for the empty value; null if there are more than {@link FEW}. */
  texts: (string | null)[] | null;
}

const FEW = 25;
/** Limit of the count: more than any caller needs to distinguish; as days, more than half a century. */
const MANY = 20_000;

/**
 * Returns facts about columns of rows. Reading them from dictionaries is cheap; the engine would build a view
 * over all rows for each column.
 *
 * @param names columns to read; those that do not exist are left out
 */
export function columnFacts(
  columns: ArrowColumns,
  names: readonly string[],
): ReadonlyMap<string, ColumnFacts> {
  const facts = new Map<string, ColumnFacts>();
  for (const name of names) {
    const column = columns.get(name);
    if (column) facts.set(name, factsOf(column));
  }
  return facts;
}

/** Combines the facts about columns whose rows arrive in several streams. */
export function factsOfAll(
  streams: readonly ReadonlyMap<string, ColumnFacts>[],
): ReadonlyMap<string, ColumnFacts> {
  const all = new Map<string, ColumnFacts>();
  for (const [name, facts] of streams.flatMap((each) => [...each])) {
    const known = all.get(name) ?? facts;
    const texts = known.texts && facts.texts && [...new Set([...known.texts, ...facts.texts])];
    all.set(name, {
      distinct: Math.max(known.distinct, facts.distinct, texts?.length ?? 0),
      months: Math.max(known.months, facts.months),
      texts: texts && texts.length > FEW ? null : texts,
    });
  }
  return all;
}

function factsOf(column: Column<unknown>): ColumnFacts {
  const dictionary = dictionaryOf(column);
  if (dictionary) {
    const distinct = dictionary.length + (column.nullCount > 0 ? 1 : 0);
    const texts = distinct > FEW ? null : values(dictionary).map(String);
    return {
      distinct,
      months: 0,
      texts: texts && (column.nullCount > 0 ? [...texts, null] : texts),
    };
  }
  const found = values(column);
  const days =
    column.type.typeId === Type.Date ? found.filter((day) => typeof day === 'number') : [];
  const months = new Set(days.map(monthNumberAt));
  return { distinct: found.length, months: months.size, texts: null };
}

/** Returns the different values of a column, at most {@link MANY}. */
function values(column: Column<unknown>): unknown[] {
  const found = new Set<unknown>();
  for (let i = 0; i < column.length && found.size < MANY; i++) found.add(column.at(i));
  return [...found];
}
