/** Random tables of amounts: several decimals, and groups that are zero, negative or cancel out. */
import { columnLevel, type Level } from '../expressions';
import { storedLayout, type HuntLayout } from '../layout';
import type { Random } from '../random';
import type { HuntColumn, HuntFormula, HuntTable, Measure } from '../table';
import { ident, literal, type Key } from '../values';

/** A measure with the number of decimals that its type fixes; null if it fixes none. */
export interface AmountMeasure extends Measure {
  decimals: number | null;
}

/** A formula over two measures of a table of amounts. */
export interface AmountFormula extends HuntFormula {
  /** Its result for some sums. */
  of(sums: Readonly<Record<string, number>>): number;
}

/** A table of amounts: its value first, then its units and further measures, if there are any. */
export interface AmountTable extends HuntTable {
  measures: AmountMeasure[];
  formulas: AmountFormula[];
}

/** The units of a table; undefined without any. */
export const unitsOf = ({ measures }: AmountTable): AmountMeasure | undefined =>
  measures.find(({ role }) => role === 'units');

/** Domains that columns have, by name: their base types. */
const DOMAINS: Readonly<Record<string, string>> = {
  hunt_cents: 'numeric(14,2)',
  hunt_whole: 'numeric(14,0)',
  hunt_grams: 'numeric(14,3)',
  hunt_count: 'integer',
};

/** Creates the domains of the tables, once for a database. */
export const DOMAINS_SQL = Object.entries(DOMAINS)
  .map(
    ([name, base]) => `DO $$ BEGIN
      IF to_regtype('public.${name}') IS NULL THEN CREATE DOMAIN public.${name} AS ${base}; END IF;
    END $$;`,
  )
  .join('\n');

const VALUE_TYPES: readonly [type: string, decimals: number | null][] = [
  ['numeric(14,2)', 2],
  ['numeric(14,2)', 2],
  ['numeric(14,0)', 0],
  ['numeric(14,3)', 3],
  ['bigint', 0],
  ['numeric', null],
  ['double precision', null],
  ['public.hunt_cents', 2],
  ['public.hunt_whole', 0],
  ['public.hunt_grams', 3],
];
const UNIT_TYPES: readonly [type: string, decimals: number | null][] = [
  ['integer', 0],
  ['integer', 0],
  ['numeric(12,2)', 2],
  ['numeric(12,3)', 3],
  ['public.hunt_count', 0],
  ['double precision', null],
];

const DAYS = [
  '2026-01-15',
  '2026-01-31',
  '2026-02-01',
  '2026-02-28',
  '2026-03-01',
  '2026-03-31',
] as const;

const column = (
  name: string,
  kind: HuntColumn['kind'],
  role: HuntColumn['role'],
  values: Key[],
): HuntColumn => ({ name, kind, role, grain: false, key: false, values });

/** Days of a table with many rows. A column with at least twenty values gets an index. */
const MANY_DAYS = Array.from({ length: 30 }, (_, i) => {
  const day = new Date(Date.UTC(2026, Math.floor(i / 10), 1 + 3 * (i % 10)));
  return day.toISOString().slice(0, 10);
});

/**
 * Draws a table of amounts.
 *
 * @param least the number of rows of a large table, which may have closed months and a grain; null for a small one
 */
export function randomAmounts(
  name: string,
  random: Random,
  least: number | null = null,
): AmountTable {
  const regions: Key[] = random.sample(['north', 'south', 'west', 'east'], random.between(2, 4));
  if (random.chance(0.2)) regions.push(null);
  const columns = [
    column('region', 'text', 'dimension', regions),
    column('product', 'text', 'dimension', random.sample(['chairs', 'tables', 'lamps'], 3)),
    column(
      'day',
      'date',
      'date',
      least === null ? random.sample(DAYS, random.between(2, 4)) : [...MANY_DAYS],
    ),
  ];
  const [type, decimals] = random.pick(VALUE_TYPES);
  const measures: AmountMeasure[] = [{ name: 'amount', role: 'value', type, decimals }];
  if (random.chance(0.8)) {
    const [unitType, places] = random.pick(UNIT_TYPES);
    measures.push({ name: 'pieces', role: 'units', type: unitType, decimals: places });
  }
  const rows: Key[][] = [];
  for (const region of regions) {
    for (const product of columns[1]?.values ?? []) {
      if (random.chance(0.12)) continue;
      const [fewest, most] = least === null ? [1, 3] : [20, 30];
      const days = random.sample(columns[2]?.values ?? [], random.between(fewest, most));
      const amounts = measures.map((measure) => randomParts(measure, days.length, random));
      for (const [i, day] of days.entries()) {
        rows.push([region, product, day, ...amounts.map((parts) => parts[i] ?? null)]);
      }
    }
  }
  const reference = random.chance(0.2);
  const formulas = addFurther(measures, rows, random.fork('further'));
  if (least === null) return { name, columns, measures, formulas, rows, reference };
  const large = random.fork('large');
  if (large.chance(0.6)) for (const each of columns) each.grain = true;
  const closed = large.chance(0.5) ? '2026-01-31' : undefined;
  const copies = Math.ceil(least / rows.length);
  return { name, columns, measures, formulas, rows, reference, copies, closed };
}

/** Adds a further measure to some tables, and to most of these a formula, which is returned. */
function addFurther(measures: AmountMeasure[], rows: Key[][], random: Random): AmountFormula[] {
  if (random.chance(0.5)) return [];
  const [type, decimals] = random.pick(VALUE_TYPES);
  const cost: AmountMeasure = { name: 'cost', role: 'measure', type, decimals };
  measures.push(cost);
  for (let at = 0; at < rows.length;) {
    const some = rows.slice(at, at + random.between(1, 3));
    const parts = randomParts(cost, some.length, random);
    for (const [i, row] of some.entries()) row.push(parts[i] ?? null);
    at += some.length;
  }
  // Floating-point sums that cancel out leave a rounding error, which has no ratio.
  const isFloat = measures.some(({ type }) => type === 'double precision');
  const formulas = FORMULAS.filter(({ name }) => !isFloat || name === 'profit');
  return random.chance(0.75) ? [random.pick(formulas)] : [];
}

const share = (top: string, bottom: string) => `(${top})::float8 / nullif(${bottom}, 0)`;

/** The formulas of tables with costs. */
const FORMULAS: readonly AmountFormula[] = [
  {
    name: 'margin',
    expression: '(amount - cost) / amount',
    sql: (sum) => share(`${sum('amount')} - ${sum('cost')}`, sum('amount')),
    of: ({ amount = 0, cost = 0 }) => (amount - cost) / amount,
  },
  {
    name: 'factor',
    expression: 'amount / cost',
    sql: (sum) => share(sum('amount'), sum('cost')),
    of: ({ amount = 0, cost = 0 }) => amount / cost,
  },
  {
    name: 'profit',
    expression: 'amount - cost',
    sql: (sum) => `${sum('amount')} - ${sum('cost')}`,
    of: ({ amount = 0, cost = 0 }) => amount - cost,
  },
];

/** Draws the amounts of some rows together, so that their sum is of a certain kind. */
function randomParts({ role, decimals }: AmountMeasure, count: number, random: Random): string[] {
  const places = decimals ?? 2;
  const unit = 10 ** places;
  const most = role === 'units' ? 60 : 9_000;
  const plain = () => random.between(1, most * unit);
  const pattern = random.pick([
    'plain',
    'plain',
    'plain',
    'plain',
    'few',
    'mixed',
    'negative',
    'zero',
    'cancels',
    'nearly',
  ] as const);
  const parts = Array.from({ length: count }, (): number => {
    switch (pattern) {
      case 'few':
        return random.between(1, 3);
      case 'mixed':
        return random.chance(0.5) ? plain() : -plain();
      case 'negative':
        return -plain();
      case 'zero':
        return 0;
      default:
        return plain();
    }
  });
  const [last = 0] = parts.slice(-1);
  const others = parts.reduce((sum, part) => sum + part, 0) - last;
  if (count > 1 && pattern === 'cancels') parts[count - 1] = -others;
  if (count > 1 && pattern === 'nearly') parts[count - 1] = random.between(1, 9) - others;
  return parts.map((part) => (part / unit).toFixed(places));
}

/** A layout of a table of amounts, and whether it shows value per unit. */
export interface AmountLayout extends HuntLayout {
  price: boolean;
}

/** Draws a layout of a table of amounts: rows, at most one level of columns, and all measures. */
export function randomAmountLayout(table: AmountTable, random: Random): AmountLayout {
  const levels = table.columns.map((c): Level => {
    const level = columnLevel(c);
    if (c.kind !== 'date' || random.chance(0.4)) return level;
    return {
      name: 'month',
      expression: `bucket(${ident(c.name)}, 'M')`,
      sql: `date_trunc('month', ${level.sql}::timestamp)::date`,
      kind: 'month',
    };
  });
  const drawn = random.sample(levels, random.between(2, 3));
  const across = random.pick([0, 1, 1]);
  const [region] = table.columns;
  const named = region?.values.filter((value) => value !== null) ?? [];
  const term = random.pick(named);
  return {
    levels: drawn.slice(across),
    splits: drawn.slice(0, across),
    measures: [...table.measures, ...table.formulas].map(({ name }) => name),
    filters: random.chance(0.12)
      ? [{ entry: ['region', '==', term], sql: `"region" = ${literal(term)}` }]
      : [],
    filterOp: 'and',
    sort: [],
    depth: null,
    price: unitsOf(table) !== undefined && random.chance(0.7),
  };
}

/** The measure that shows value per unit. */
export const PRICE = 'amount: price';

/** The layout as a source's default: amounts with the decimals of their columns. */
export const storedAmountLayout = (layout: AmountLayout): Record<string, unknown> => ({
  ...storedLayout(layout),
  columns_config: {},
  columns: [...layout.measures, ...(layout.price ? [PRICE] : [])],
});
