/** Suggests keys, days and attributes of a lookup from the names, types and first rows of its table. */
import type { ColumnEntry } from '$lib/contract/columns';
import type { Lookup } from '$lib/contract/lookups';
import type { TablePreview } from '$lib/contract/sources';

export type LookupKey = Lookup['keys'][number];
export type LookupRange = NonNullable<Lookup['range']>;

/** A column of the source that can be a key, with its most frequent values as text. */
export interface KeyColumn {
  column: ColumnEntry;
  values: readonly string[];
}

/** How many frequent values of a key's column of the source are in the first rows of the table. */
export interface KeyMatch {
  found: number;
  of: number;
}

/** Endings of column names that say that a column is a key. */
const KEY_ENDINGS = /(id|key|code|number|no|nr|name)$/;
const FIRST_DAYS =
  /^(sdat|first|start|begin|from|since|valid_?from|von|ab)|(_|\b)(from|start|begin|first)/i;
const LAST_DAYS =
  /^(edat|last|end|through|until|to|valid_?(to|until|through)|bis)|(_|\b)(to|end|until|through|last)/i;

/** Returns a name without case, spaces and punctuation. */
const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\d]/gu, '');

const isDay = (type: string | null) => /^(date|timestamp)/.test(type ?? '');
const kindOf = (type: string | null) =>
  isDay(type)
    ? 'day'
    : /^(smallint|integer|bigint|numeric|real|double)/.test(type ?? '')
      ? 'number'
      : /^boolean/.test(type ?? '')
        ? 'boolean'
        : 'text';

/** Returns the values of a column in the first rows of a table, as text and without nulls. */
export const textsOf = ({ rows }: TablePreview, cname: string): string[] =>
  rows.flatMap((row) => ((row[cname] ?? null) === null ? [] : [String(row[cname])]));

/** Returns how alike the names of two columns are: 2 if they are the same, 1 but for an ending such as “id”, else 0. */
export function likeness(column: Pick<ColumnEntry, 'cname' | 'label'>, from: string): number {
  const names = [column.cname, column.label ?? ''].map(plain).filter(Boolean);
  if (names.includes(plain(from))) return 2;
  const stem = (name: string) => name.replace(KEY_ENDINGS, '') || name;
  return names.some((name) => stem(name) === stem(plain(from))) ? 1 : 0;
}

/** Returns how many values of a column of the source are in the first rows of a column of the table. */
export function matchOf(values: readonly string[], table: TablePreview, from: string): KeyMatch {
  const texts = new Set(textsOf(table, from));
  return { found: values.filter((value) => texts.has(value)).length, of: values.length };
}

/**
 * Suggests the keys of a lookup: the pair of columns whose names and values match best, and further ones until no two
 * of the table's first rows have the same keys. If none makes them unique, the best pair alone.
 */
export function suggestKeys(columns: readonly KeyColumn[], table: TablePreview): LookupKey[] {
  const pairs = columns
    .flatMap(({ column, values }) =>
      table.columns
        .filter(({ type }) => kindOf(type) === kindOf(column.type))
        .map(({ cname: from }) => {
          const { found, of } = matchOf(values, table, from);
          const share = of === 0 ? 0 : found / of;
          return { column: column.cname, from, score: share * 3 + likeness(column, from), share };
        }),
    )
    .filter(({ score, share }) => score >= 2 || share >= 0.5)
    .toSorted((a, b) => b.score - a.score);
  const keys: LookupKey[] = [];
  for (const { column, from } of pairs) {
    if (keys.some((key) => key.column === column || key.from === from)) continue;
    keys.push({ column, from });
    if (areUnique(keys, table)) return keys;
  }
  return keys.slice(0, 1);
}

/** Returns whether no two of the first rows of a table have the same keys. */
export function areUnique(keys: readonly LookupKey[], { rows }: TablePreview): boolean {
  const texts = rows.map((row) => JSON.stringify(keys.map(({ from }) => row[from] ?? null)));
  return new Set(texts).size === texts.length;
}

/** Suggests the days that a row of the table stands for, by the names of its dates; null if it has no two dates. */
export function suggestRange(
  dates: readonly ColumnEntry[],
  table: TablePreview,
): LookupRange | null {
  const days = table.columns.filter(({ type }) => isDay(type)).map(({ cname }) => cname);
  const [date] = dates;
  const from = days.find((cname) => FIRST_DAYS.test(cname)) ?? days[0];
  const through =
    days.find((cname) => cname !== from && LAST_DAYS.test(cname)) ??
    days.find((cname) => cname !== from);
  if (!date || from === undefined || through === undefined) return null;
  return { column: date.cname, from, through };
}

/**
 * Returns whether values of a column repeat in the first rows of a table, so that rows can be grouped by it. Numbers that
 * may have decimals are rates or sizes, and do not count.
 */
export function repeats(table: TablePreview, cname: string): boolean {
  const type = table.columns.find((column) => column.cname === cname)?.type ?? '';
  if (/^(numeric|real|double precision)/.test(type)) return false;
  const texts = textsOf(table, cname);
  return texts.length > 1 && new Set(texts).size <= texts.length * MOST_DISTINCT;
}

/** The largest share of different values in a column whose values repeat. */
const MOST_DISTINCT = 0.6;

/** Writes the name of a column as people do: `sales_manager` as “Sales manager”. Other names stay. */
export function labelOf(cname: string): string {
  if (!/^[a-z\d_]+$/.test(cname)) return cname;
  const words = cname.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a label that is not taken: itself, or with a name before it. */
export function freeLabel(label: string, before: string, taken: readonly string[]): string {
  if (!taken.includes(label)) return label;
  const longer = `${before} ${label.charAt(0).toLowerCase()}${label.slice(1)}`.trim();
  for (let number = 2; ; number++) {
    const tried = number === 2 ? longer : `${longer} ${number - 1}`;
    if (!taken.includes(tried)) return tried;
  }
}
