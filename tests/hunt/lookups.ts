/** Attributes of lookups in hunted tables, and the cases of keys that they have. */
import type { HuntLayout } from './layout';
import type { Random } from './random';
import type { HuntColumn, HuntTable } from './table';
import { ident, insert, leafSql, POOLS, sqlType, type Key } from './values';

/** An attribute of a lookup: a text that follows from other columns by another table. */
export interface HuntAttribute {
  name: string;
  /** The table of the lookup. Its columns are those of {@link KEY}, of {@link DAYS} with a range, and {@link VALUE}. */
  tname: string;
  keys: HuntColumn[];
  /** The date whose days have the attribute; null for a lookup without a range. */
  range: HuntColumn | null;
  /** The rows of the table: the values of the keys, the first and the last day, then the attribute. */
  rows: Key[][];
}

const LABELS = ['Family', "it's “who”", 'a "quoted" name', 'group', 'ORDER'];
/** The columns of a lookup's table: its keys, the ends of its range, and its attribute. */
const KEY = (i: number) => `key "${i}"`;
const DAYS = ["the day's first", 'last'] as const;
const VALUE = `it's "it"`;

/** The columns from which an attribute follows. */
export const columnsBehind = ({ keys, range }: HuntAttribute): HuntColumn[] => [
  ...keys,
  ...(range ? [range] : []),
];

/** Draws attributes of columns that may select rows. Some keys are missing in their tables, and others occur nowhere. */
export function randomAttributes(
  table: string,
  columns: readonly HuntColumn[],
  random: Random,
): HuntAttribute[] {
  const areMarked = columns.some(({ key }) => key);
  const usable = columns.filter(({ key, role }) => !areMarked || key || role === 'date');
  if (usable.length === 0) return [];
  return random.sample(LABELS, random.pick([0, 1, 1, 2])).map((name, i) => {
    const further = random.fork('range', i);
    const range = further.pick([null, usable.find(({ role }) => role === 'date') ?? null]);
    const drawn = random.sample(usable, random.pick([1, 1, 1, 2]));
    const keys = drawn.filter((key) => key !== range);
    if (range && further.chance(0.5)) keys.pop();
    const values: Key[] = random.sample(POOLS.text, random.between(1, 4));
    if (random.chance(0.3)) values.push(null);
    const known = keys.map(({ kind, values: own }) => [
      ...new Set([...own, ...random.sample(POOLS[kind], 2)]),
    ]);
    const combinations = known
      .reduce<Key[][]>(
        (made, own) => made.flatMap((before) => own.map((value) => [...before, value])),
        [[]],
      )
      // A key of the table that is null stands for nothing.
      .filter((combination) => !combination.includes(null) || further.chance(0.5));
    const rows = combinations
      .flatMap((combination) =>
        range ? ranges(range, further).map((days) => [...combination, ...days]) : [combination],
      )
      .filter(() => random.chance(0.8))
      .map((row) => [...row, random.pick(values)]);
    return { name, tname: `${table} lookup's "${i}"`, keys, range, rows };
  });
}

/** Draws ranges of days that do not overlap. Some are open at an end, and some end before they begin. */
function ranges({ values }: HuntColumn, random: Random): Key[][] {
  const days = [...new Set([...values, ...random.sample(POOLS.date, 3)])]
    .filter((day): day is string => day !== null && /^\d{4}-/.test(day) && !day.endsWith('BC'))
    .sort();
  const drawn: Key[][] = [];
  while (days.length > 0) {
    const [first = null, ...others] = days.splice(0, random.between(1, 3));
    drawn.push([first, others.at(-1) ?? first]);
  }
  if (random.chance(0.3)) drawn[0]?.splice(0, 1, null);
  if (random.chance(0.3)) drawn.at(-1)?.splice(1, 1, null);
  if (random.chance(0.2)) drawn.push(['2026-02-01', '2025-12-31']);
  return drawn;
}

/** The number of keys that {@link manyKeys} adds. */
const MANY = 2000;

/**
 * Gives thousands of new keys to one member of an attribute that has one key and no range.
 *
 * @param key the position of the key among the values of a row
 * @returns a row for each new key, like some of the others
 */
export function manyKeys(
  { keys: [column], rows: known }: HuntAttribute,
  rows: readonly Key[][],
  key: number,
  random: Random,
): Key[][] {
  const member = random.pick([...known.map((row) => row.at(-1) ?? null), 'of many']);
  return Array.from({ length: MANY }, (_, i) => {
    const value = `article ${i}`;
    column?.values.push(value);
    known.push([value, member]);
    return random.pick(rows).with(key, value);
  });
}

/** The value of an attribute in a row of the source or of a version, as SQL. */
export const attributeSql = ({ tname, keys, range }: HuntAttribute): string => {
  const conditions = keys.map(
    ({ name, kind }, i) => `${leafSql(kind, `l.${ident(KEY(i))}`)} = ${leafSql(kind, ident(name))}`,
  );
  if (range) {
    const [first, last] = DAYS.map((name) => `l.${ident(name)}`);
    const day = ident(range.name);
    conditions.push(
      `(${first} IS NULL OR ${first} <= ${day}) AND (${last} IS NULL OR ${last} >= ${day}) AND ${day} IS NOT NULL`,
    );
  }
  return `(SELECT l.${ident(VALUE)} FROM public.${ident(tname)} AS l WHERE ${conditions.join(' AND ')})`;
};

/** The statements that make the tables of the lookups. */
export const attributeTables = (attributes: readonly HuntAttribute[]): string =>
  attributes
    .map(({ tname, keys, range, rows }) => {
      const columns = [
        ...keys.map(({ kind }, i) => `${ident(KEY(i))} ${sqlType(kind)}`),
        ...(range ? DAYS.map((day) => `${ident(day)} date`) : []),
        `${ident(VALUE)} text`,
      ];
      return `CREATE TABLE public.${ident(tname)} (${columns.join(', ')});
        ${insert(tname, rows)}`;
    })
    .join('');

/** The body of the request that makes the lookup of an attribute. */
export const lookupOf = ({ name, tname, keys, range }: HuntAttribute) => ({
  ...{ name: tname, schema: 'public', tname, pf_user: 'hunter' },
  keys: keys.map((key, i) => ({ column: key.name, from: KEY(i) })),
  ...(range && { range: { column: range.name, from: DAYS[0], through: DAYS[1] } }),
  attributes: [{ cname: VALUE, label: name }],
});

/**
 * Returns in which ways a pivot has attributes, and the unusual keys that its rows have. Empty if neither its groups nor
 * its filters have an attribute.
 */
export function waysOfLookups(table: HuntTable, layout: HuntLayout): string[] {
  const attributes = table.attributes ?? [];
  const among = (names: readonly string[]) => attributes.filter(({ name }) => names.includes(name));
  const down = among(layout.levels.map(({ name }) => name));
  const across = among(layout.splits.map(({ name }) => name));
  const filtered = among(layout.filters.map(({ entry: [name] }) => name));
  const used = [...new Set([...down, ...across, ...filtered])];
  const ofRow = (column: HuntColumn) => table.columns.indexOf(column);
  const keyIs = (is: (value: Key) => boolean) =>
    used.some((each) =>
      columnsBehind(each).some((c) => table.rows.some((row) => is(row[ofRow(c)] ?? null))),
    );
  const isUnknown = ({ keys, range, rows }: HuntAttribute) => {
    const own = new Set(rows.map((row) => JSON.stringify(row.slice(0, keys.length))));
    const keysOf = (row: Key[]) => keys.map((key) => row[ofRow(key)] ?? null);
    return (
      range === null &&
      table.rows.map(keysOf).some((key) => !key.includes(null) && !own.has(JSON.stringify(key)))
    );
  };
  const texts = used.flatMap(({ name, rows }) => [name, ...rows.map((row) => row.at(-1) ?? '')]);
  const ways: Record<string, boolean> = {
    'an attribute': used.length > 0,
    'two attributes': used.length > 1,
    'an attribute in rows': down.length > 0,
    'an attribute in columns': across.length > 0,
    'a filter by an attribute': filtered.length > 0,
    'an attribute at a grain': used.length > 0 && table.columns.some(({ grain }) => grain),
    'an attribute of two keys': used.some((each) => columnsBehind(each).length > 1),
    'an attribute of a range of days': used.some(({ range }) => range !== null),
    'a null key': keyIs((value) => value === null),
    'an empty key': keyIs((value) => value === ''),
    'a key with quotes': keyIs((value) => /['"“]/.test(value ?? '')),
    'a key that the lookup lacks': used.some(isUnknown),
    'thousands of keys of one member': used.some(({ rows }) => rows.length >= MANY),
    'a name or member with quotes': texts.some((text) => /['"“]/.test(text)),
  };
  return Object.entries(ways).flatMap(([way, has]) => (has ? [way] : []));
}
