import { columnLevel, randomExpression, type Level } from './expressions';
import { attributeSql, columnsBehind, type HuntAttribute } from './lookups';
import type { Random } from './random';
import type { HuntColumn, HuntTable } from './table';
import { groupSql, ident, literal, type Key } from './values';

/** A filter of the layout, with its meaning in SQL. */
export interface HuntFilter {
  entry: [column: string, operator: string, term: unknown];
  /** Null if SQL has no equivalent. */
  sql: string | null;
}

/** The layout of a hunted pivot. */
export interface HuntLayout {
  levels: Level[];
  splits: Level[];
  measures: string[];
  filters: HuntFilter[];
  /**
   * The operator of the stored layout; the engine always combines filters with "and", and the page says so.
   */
  filterOp: 'and' | 'or';
  sort: [column: string, direction: string][];
  /** Number of open row levels; null for all. */
  depth: number | null;
  /** How many of the outermost groups are shown, by a measure, with the rest as one row; null for all. */
  limit?: HuntLimit | null;
}

export interface HuntLimit {
  keep: 'top' | 'bottom';
  number: number;
  by: string;
}

export function randomLayout(table: HuntTable, random: Random): HuntLayout {
  const grained = table.columns.filter((c) => c.grain);
  const usable = grained.length > 0 ? grained : table.columns;
  const levels: Level[] = usable.map(columnLevel);
  const attributes = (table.attributes ?? []).filter((attribute) =>
    columnsBehind(attribute).every((column) => usable.includes(column)),
  );
  levels.push(...attributes.map(attributeLevel));
  for (let i = random.between(0, 2); i > 0; i--) {
    const made = randomExpression(usable, random);
    if (made && !levels.some((level) => level.name === made.name)) levels.push(made);
  }
  const drawn = random.sample(levels, random.between(1, 4));
  const across = Math.min(drawn.length - 1, random.pick([0, 1, 1, 1, 2]));
  const splits = drawn.slice(0, across);
  const down = drawn.slice(across);
  const measures = random.sample(
    [...table.measures, ...(table.formulas ?? [])].map((m) => m.name),
    random.between(1, 2),
  );
  const filters = Array.from({ length: random.pick([0, 0, 0, 1, 1, 2]) }, () =>
    attributes.length > 0 && random.chance(0.3)
      ? attributeFilter(random.pick(attributes), random)
      : randomFilter(usable, table, random),
  );
  const [by = ''] = measures;
  const further = random.fork('limit');
  const isAdded = !measures.some((name) => table.formulas?.some((each) => each.name === name));
  const limit: HuntLimit | null =
    isAdded && further.chance(0.3)
      ? { keep: further.pick(['top', 'bottom']), number: further.between(1, 3), by }
      : null;
  return {
    levels: down,
    splits,
    measures,
    limit,
    filters,
    filterOp: filters.length > 1 && random.chance(0.5) ? 'or' : 'and',
    sort: randomSort(table, usable, random),
    depth: down.length > 1 && random.chance(0.3) ? 0 : null,
  };
}

const attributeLevel = (attribute: HuntAttribute): Level => ({
  ...{ name: attribute.name, expression: null, sql: attributeSql(attribute), kind: 'text' },
});

function attributeFilter(attribute: HuntAttribute, random: Random): HuntFilter {
  const { name, rows } = attribute;
  const sql = attributeSql(attribute);
  const values = [...new Set(rows.map((row) => row.at(-1) ?? null))].filter(
    (value): value is string => value !== null && isPlainTerm(value),
  );
  if (values.length === 0 || random.chance(0.3))
    return { entry: [name, 'is null', null], sql: `${sql} IS NULL` };
  const chosen = random.sample(values, random.between(1, 3));
  const same = `(${chosen.map((value) => `${sql} = ${literal(value)}`).join(' OR ')})`;
  return chosen.length === 1
    ? { entry: [name, '==', chosen[0]], sql: same }
    : { entry: [name, 'in', chosen], sql: same };
}

function randomSort(
  table: HuntTable,
  columns: readonly HuntColumn[],
  random: Random,
): HuntLayout['sort'] {
  const measure = random.pick(table.measures).name;
  return random.pick<HuntLayout['sort']>([
    [],
    [],
    [[measure, 'desc']],
    [[measure, 'asc']],
    [[measure, 'col desc']],
    [
      [measure, 'desc'],
      [measure, 'col asc'],
    ],
    [[random.pick(columns).name, 'desc']],
  ]);
}

function randomFilter(
  columns: readonly HuntColumn[],
  table: HuntTable,
  random: Random,
): HuntFilter {
  const column = random.pick(columns);
  const sql = groupSql(column.kind, ident(column.name));
  const values = column.values.filter((value): value is string => value !== null);
  switch (random.pick(['==', 'in', 'in', 'is null', 'is not null', '>'])) {
    case 'is null':
      return { entry: [column.name, 'is null', null], sql: `${sql} IS NULL` };
    case '>': {
      const { name } = random.pick(table.measures);
      return {
        entry: [name, '>', 10],
        sql: table.columns.some((c) => c.grain) ? null : `${ident(name)} > 10`,
      };
    }
    case '==':
    case 'in': {
      if (!['text', 'integer', 'boolean', 'date'].includes(column.kind)) break;
      const chosen = random.sample(values, random.between(1, 3)).filter(isPlainTerm);
      if (chosen.length === 0) break;
      const same = chosen.map((value) => `${sql}::text = ${literal(value)}`).join(' OR ');
      const terms = chosen.map((value) => termOf(column, value));
      if (terms.length === 1) return { entry: [column.name, '==', terms[0]], sql: `(${same})` };
      if (column.kind === 'text') return { entry: [column.name, 'in', terms], sql: `(${same})` };
      break;
    }
  }
  return { entry: [column.name, 'is not null', null], sql: `${sql} IS NOT NULL` };
}

/** Returns whether the engine's own filters can name a value. */
const isPlainTerm = (value: string): boolean => value.length < 100 && !/ BC$|^\d{5}-/.test(value);

function termOf({ kind }: HuntColumn, value: string): unknown {
  if (kind === 'integer') return Number(value);
  return kind === 'boolean' ? value === 'true' : value;
}

/** Returns the layout in the form of a source's `default_layout`. */
export function storedLayout(layout: HuntLayout): Record<string, unknown> {
  const named = [...layout.levels, ...layout.splits];
  const expressions = Object.fromEntries(
    named.flatMap(({ name, expression }) => (expression === null ? [] : [[name, expression]])),
  );
  const number_format = { minimumFractionDigits: 4, maximumFractionDigits: 4 };
  return {
    plugin: 'Datagrid',
    group_by: layout.levels.map((level) => level.name),
    split_by: layout.splits.map((level) => level.name),
    columns: layout.measures,
    columns_config: Object.fromEntries(layout.measures.map((name) => [name, { number_format }])),
    filter: layout.filters.map(({ entry }) => entry),
    ...(layout.filters.length > 1 && { filter_op: layout.filterOp }),
    sort: layout.sort,
    expressions,
    ...(layout.limit && { limits: { [layout.levels[0]?.name ?? '']: layout.limit } }),
    ...(layout.depth !== null && { depth: layout.depth }),
  };
}

/** Returns the filters, combined with "and", as one condition; null if SQL has no equivalent. */
export function filterSql({ filters }: HuntLayout): string | null {
  if (filters.some(({ sql }) => sql === null)) return null;
  const conditions = filters.map(({ sql }) => `(${sql})`);
  return conditions.join(' AND ') || 'TRUE';
}

/**
 * Returns the filters that a slice can contain. The page has to say that the others do not restrict
 * operations.
 */
export const heldFilters = ({ filters }: HuntLayout): HuntFilter[] =>
  filters.filter(({ entry: [, operator] }) => ['==', 'in', 'is null'].includes(operator));

export const keyText = (key: Key): string => (key === null ? 'NULL' : literal(key));
