import type { Random } from './random';
import { ODD_VALUES, ident, leafSql, literal, POOLS, type Key, type Kind } from './values';

export interface HuntColumn {
  name: string;
  kind: Kind;
  role: 'dimension' | 'date';
  grain: boolean;
  /** Marked as a key: if any column is, only such columns may select rows. */
  key: boolean;
  /** The values that its rows hold; null is the empty value. */
  values: Key[];
}

export interface Measure {
  name: string;
  role: 'value' | 'units' | 'measure';
  /** Its database type. */
  type: string;
}

/** A formula of the source: its expression, and the same computed from sums in SQL. */
export interface HuntFormula {
  name: string;
  expression: string;
  /** @param sum returns the sum of a measure as SQL */
  sql(sum: (measure: string) => string): string;
}

/** An attribute of a lookup: a text that follows from one or two columns by another table. */
export interface HuntAttribute {
  name: string;
  /** The table of the lookup. Its columns are `key 0`, `key 1` and `attribute`. */
  tname: string;
  keys: HuntColumn[];
  /** The rows of the table: the values of the keys, then the attribute. */
  rows: Key[][];
}

/** A table to hunt in, and how its source is set up. */
export interface HuntTable {
  name: string;
  columns: HuntColumn[];
  measures: Measure[];
  /** Absent if the source has none. */
  formulas?: HuntFormula[];
  /** Absent if the source has no lookups. */
  attributes?: HuntAttribute[];
  /** The columns' values first, then the measures'. */
  rows: Key[][];
  /** How many times the table has each of the rows; once by default. */
  copies?: number;
  /** The last day of the months that are closed on the source; absent if none are. */
  closed?: string | undefined;
  /** Whether a part of the rows is loaded as reference too, which no operation touches. */
  reference: boolean;
}

const NAMES = [
  'region',
  'sub-category',
  'Sub Category',
  'constructor',
  'toString',
  'valueOf',
  'in',
  "it's",
  '|',
  'a|b',
  '{{where_clause}}',
  '$1',
  '%s',
  'null',
  'select',
  'a"b',
  'back\\slash',
  '😀',
  ' lead',
  'id',
];
const MEASURE_NAMES = ['value', 'Net Sales', 'net|gross', 'hasOwnProperty', "it's worth", '%'];
const FURTHER = ['cost', 'Gross "margin"', 'Sales: Δ'];
const KINDS: readonly Kind[] = [
  'text',
  'text',
  'text',
  'text',
  'integer',
  'numeric',
  'numeric',
  'boolean',
  'date',
  'timestamp',
  'interval',
  'jsonb',
];

export function randomTable(name: string, random: Random): HuntTable {
  const count = random.between(2, 4);
  const names = random.sample(NAMES, count);
  const columns = names.map((columnName): HuntColumn => {
    const kind = random.pick(KINDS);
    return randomColumn(columnName, kind, 'dimension', random);
  });
  if (random.chance(0.7)) columns.push(randomColumn('Order Date', 'date', 'date', random));
  if (random.chance(0.4)) for (const c of columns) c.grain = random.chance(0.8);
  if (random.chance(0.15)) for (const c of columns) c.key = random.chance(0.7);

  const value = random.pick(MEASURE_NAMES);
  const measures: Measure[] = [
    {
      name: value,
      role: 'value',
      type: random.pick(['numeric(12,2)', 'numeric(12,2)', 'numeric', 'double precision']),
    },
  ];
  if (random.chance(0.7)) measures.push({ name: 'units', role: 'units', type: 'integer' });
  const amount = () => (random.chance(0.1) ? 0 : random.between(-20_000, 100_000) / 100).toFixed(2);
  const hasUnits = measures.length > 1;
  if (hasUnits && random.chance(0.4)) {
    for (const further of random.sample(FURTHER, random.between(1, 2)))
      measures.push({ name: further, role: 'measure', type: 'numeric(12,2)' });
  }
  const rows = Array.from({ length: random.between(15, 70) }, () => [
    ...columns.map((column) => random.pick(column.values)),
    amount(),
    ...(hasUnits ? [String(random.chance(0.1) ? 0 : random.between(1, 60))] : []),
    ...measures.slice(2).map(amount),
  ]);
  const formulas = hasUnits && random.chance(0.5) ? [quotient(measures, random)] : [];
  const reference = random.chance(0.4);
  const attributes = randomAttributes(name, columns, random.fork('attributes'));
  const many = random.fork('many keys');
  const [wide] = attributes.filter(({ keys }) => keys.length === 1 && keys[0]?.kind === 'text');
  if (wide && many.chance(0.25)) {
    const key = columns.indexOf(wide.keys[0]!);
    rows.push(...manyKeys(wide, rows, key, many));
  }
  return { name, columns, measures, formulas, attributes, rows, reference };
}

const LABELS = ['Family', "it's “who”", 'a "quoted" name', 'group', 'ORDER'];

/** Draws attributes of columns that may select rows. Some keys are missing in their tables, and others occur nowhere. */
function randomAttributes(
  table: string,
  columns: readonly HuntColumn[],
  random: Random,
): HuntAttribute[] {
  const areMarked = columns.some(({ key }) => key);
  const usable = columns.filter(({ key, role }) => !areMarked || key || role === 'date');
  if (usable.length === 0) return [];
  return random.sample(LABELS, random.pick([0, 1, 1, 2])).map((name, i) => {
    const keys = random.sample(usable, random.pick([1, 1, 1, 2]));
    const values: Key[] = random.sample(POOLS.text, random.between(1, 4));
    if (random.chance(0.3)) values.push(null);
    const known = keys.map(({ kind, values: own }) => [
      ...new Set([...own, ...random.sample(POOLS[kind], 2)]),
    ]);
    const combinations = known.reduce<Key[][]>(
      (made, own) => made.flatMap((before) => own.map((value) => [...before, value])),
      [[]],
    );
    const rows = combinations
      .filter((combination) => combination.every((value) => value !== null))
      .filter(() => random.chance(0.8))
      .map((combination) => [...combination, random.pick(values)]);
    return { name, tname: `${table} lookup ${i}`, keys, rows };
  });
}

/** The number of keys that {@link manyKeys} adds. */
const MANY = 2000;

/** Gives thousands of new keys to one member of an attribute. @returns a row for each, like some of the others */
function manyKeys(
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
export const attributeSql = ({ tname, keys }: HuntAttribute): string =>
  `(SELECT "attribute" FROM public.${ident(tname)} WHERE ${keys
    .map(
      ({ name, kind }, i) => `${leafSql(kind, ident(`key ${i}`))} = ${leafSql(kind, ident(name))}`,
    )
    .join(' AND ')})`;

/** The statements that make the tables of the lookups. */
const attributeTables = (attributes: readonly HuntAttribute[]): string =>
  attributes
    .map(({ tname, keys, rows }) => {
      const types = keys.map(({ kind }, i) => `${ident(`key ${i}`)} ${sqlType(kind)}`);
      return `CREATE TABLE public.${ident(tname)} (${[...types, '"attribute" text'].join(', ')});
        ${insert(tname, rows)}`;
    })
    .join('');

const insert = (tname: string, rows: readonly Key[][]): string => {
  const lines = rows.map(
    (row) => `(${row.map((key) => (key === null ? 'NULL' : literal(key))).join(', ')})`,
  );
  return lines.length === 0
    ? ''
    : `INSERT INTO public.${ident(tname)} VALUES ${lines.join(',\n')};`;
};

/** A ratio of a measure to units, less a number. */
function quotient(measures: readonly Measure[], random: Random): HuntFormula {
  const { name: over } = random.pick(measures.filter(({ role }) => role !== 'units'));
  const least = random.pick([0, 2]);
  return {
    name: 'quotient',
    expression: `(${ident(over)} - ${least} * units) / units`,
    sql: (sum) =>
      `(${sum(over)} - ${least} * ${sum('units')}) / NULLIF(${sum('units')}, 0)::float8`,
  };
}

function randomColumn(
  name: string,
  kind: Kind,
  role: HuntColumn['role'],
  random: Random,
): HuntColumn {
  const values: Key[] = random.sample(POOLS[kind], random.between(2, 5));
  if (random.chance(0.04)) values.push(...random.sample(ODD_VALUES[kind] ?? [], 1));
  if (random.chance(0.5)) values.push(null);
  return { name, kind, role, grain: false, key: false, values };
}

/** The database type of a kind of column. */
export const sqlType = (kind: Kind): string => (kind === 'integer' ? 'bigint' : kind);

/** The statements that make a table in the schema public, and those of its lookups. */
export function tableSql(table: HuntTable): string {
  const { name, columns, measures, rows, copies = 1, attributes = [] } = table;
  const types = [
    ...columns.map((c) => `${ident(c.name)} ${sqlType(c.kind)}`),
    ...measures.map((m) => `${ident(m.name)} ${m.type}`),
  ];
  return `CREATE TABLE public.${ident(name)} (${types.join(', ')});
    ${insert(name, rows)}
    INSERT INTO public.${ident(name)}
      SELECT t.* FROM public.${ident(name)} AS t, generate_series(2, ${copies});
    ${attributeTables(attributes)}`;
}
