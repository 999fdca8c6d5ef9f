import { attributeTables, manyKeys, randomAttributes, type HuntAttribute } from './lookups';
import type { Random } from './random';
import { ident, insert, ODD_VALUES, POOLS, sqlType, type Key, type Kind } from './values';

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
  const isWide = ({ keys, range }: HuntAttribute) =>
    keys.length === 1 && keys[0]?.kind === 'text' && range === null;
  const [wide] = attributes.filter(isWide);
  if (wide && many.chance(0.25)) {
    const key = columns.indexOf(wide.keys[0]!);
    rows.push(...manyKeys(wide, rows, key, many));
  }
  return { name, columns, measures, formulas, attributes, rows, reference };
}

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
