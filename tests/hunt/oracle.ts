import { isDateRange, type Slice } from '../../src/lib/contract/slices';
import type { Query } from '../support/service';
import type { Level } from './expressions';
import { filterSql, heldFilters, keyText, type HuntLayout } from './layout';
import { attributeSql } from './lookups';
import type { HuntTable } from './table';
import { groupSql, ident, labelOf, leafSql, sqlType, type Key } from './values';

/** A place in the pivot by its groups of rows and of columns. */
export interface Meaning {
  row: Key[];
  /** Empty for a row header; shorter than the splits for a header over several columns. */
  column: Key[];
}

/** The sums of one cell by measure; null without amounts. */
export interface Sums extends Meaning {
  rows: number;
  sums: Record<string, number | null>;
}

/** The expected and the actual change of one leaf. */
export interface LeafChange {
  leaf: string;
  /** Whether the leaf belongs to the cell. */
  behind: boolean;
  expected: Record<string, number>;
  actual: Record<string, number>;
}

/** The operation requested on the page, with the amounts as typed. */
export type Asked =
  | { kind: 'scale'; measure: string; by: 'Change' | 'Percent' | 'New total'; amount: number }
  | { kind: 'recode'; set: Record<string, Key> }
  | { kind: 'clone'; factor: number };

/**
 * Computes in SQL the expected numbers of a pivot and the expected changes of an operation on a cell. It uses
 * the table, the meaning of the layout and the stored rows, and shares nothing with the page's reading of
 * cells.
 */
export class Oracle {
  /** The outermost groups that the limit of the layout leaves out, as of the last {@link cells}; null if unknown. */
  others: readonly Key[] | null = null;

  constructor(
    private readonly query: Query,
    private readonly table: HuntTable,
    private readonly layout: HuntLayout,
    /** The version's forecast table, as SQL. */
    readonly stored: string,
  ) {}

  /** Returns whether the groups of a level have an SQL equivalent. */
  static isKnown = (level: Level): boolean => level.sql !== null;

  /** Returns every cell of the pivot, including collapsed rows; null if SQL has no equivalent. */
  async cells(): Promise<Sums[] | null> {
    const { levels, splits, measures } = this.layout;
    const where = filterSql(this.layout);
    if (where === null || ![...levels, ...splits].every(Oracle.isKnown)) return null;
    const down = levels.map((_, i) => `r${i}`);
    const across = splits.map((_, i) => `c${i}`);
    const groups = [...levels, ...splits].map(
      ({ sql }, i) => `(${sql})::text AS ${[...down, ...across][i]}`,
    );
    const columns = this.table.columns.map(({ name }) => ident(name));
    // Leaves whose values are equal but print differently are apart.
    const told = this.table.columns.map(({ name, kind }) => leafSql(kind, ident(name)));
    const leaf = [...new Set([...columns, ...told])];
    const amounts = this.table.measures.map(({ name }) => ident(name));
    const depths = Array.from({ length: levels.length + 1 }, (_, depth) => [
      `(${[...down.slice(0, depth), ...across].join(', ')})`,
      ...(splits.length > 0 ? [`(${down.slice(0, depth).join(', ')})`] : []),
    ]).flat();
    const names = [...down, ...across];
    const rows = await this.query<Record<string, unknown>>(
      `SELECT ${names.map((n) => `${n}, GROUPING(${n}) AS "${n} left out"`).join(', ')},
              ${measures.map((m, i) => `(${this.shownSum(m)})::float8 AS m${i}`).join(', ')},
              coalesce(sum("leaf rows"), 0)::int AS rows
         FROM (SELECT ${[...groups, 'pf_iter', '"leaf rows"', ...amounts].join(', ')}
                 FROM (SELECT ${[...columns, 'pf_iter', ...amounts.map((m) => `sum(${m}) AS ${m}`)].join(', ')},
                              count(*) AS "leaf rows"
                         FROM ${this.stored} WHERE ${where}
                        GROUP BY ${[...leaf, 'pf_iter'].join(', ')}) AS leaves) AS shown
        GROUP BY GROUPING SETS (${depths.join(', ')})`,
    );
    const path = (row: Record<string, unknown>, of: string[]) =>
      of.filter((n) => row[`${n} left out`] === 0).map((n) => row[n] as Key);
    const cells = rows.map((row) => ({
      row: path(row, down),
      column: path(row, across),
      rows: row.rows as number,
      sums: Object.fromEntries(measures.map((m, i) => [m, row[`m${i}`] as number | null])),
    }));
    return this.limited(cells);
  }

  /**
   * Replaces the outermost groups that the limit leaves out by one row; null if equal sums make it unclear which groups
   * these are.
   */
  private limited(cells: readonly Sums[]): Sums[] | null {
    const { limit } = this.layout;
    this.others = null;
    if (!limit) return [...cells];
    const ranked = cells
      .filter(({ row, column, rows }) => row.length === 1 && column.length === 0 && rows > 0)
      .map(({ row: [key = null], sums }) => ({ key, sum: sums[limit.by] ?? null }))
      .sort((a, b) => {
        if (a.sum === null || b.sum === null)
          return Number(a.sum === null) - Number(b.sum === null);
        return limit.keep === 'top' ? b.sum - a.sum : a.sum - b.sum;
      });
    const [last, next] = ranked.slice(limit.number - 1, limit.number + 1);
    if (last && next && Math.abs((last.sum ?? 0) - (next.sum ?? 0)) < 1e-6) return null;
    const others = ranked.slice(limit.number).map(({ key }) => key);
    this.others = others;
    const isOther = ({ row }: Sums) => row.length > 0 && others.includes(row[0] ?? null);
    const added = new Map<string, Sums>();
    for (const cell of cells.filter((each) => isOther(each) && each.row.length === 1)) {
      const key = JSON.stringify(cell.column);
      const { rows = 0, sums = {} } = added.get(key) ?? {};
      const sum = (name: string, amount: number | null) => {
        const before = Object.hasOwn(sums, name) ? (sums[name] ?? null) : null;
        return amount === null && before === null ? null : (before ?? 0) + (amount ?? 0);
      };
      const all = Object.entries(cell.sums).map(([name, amount]) => [name, sum(name, amount)]);
      added.set(key, {
        ...{ row: [OTHERS], column: cell.column, rows: rows + cell.rows },
        sums: Object.fromEntries(all) as Sums['sums'],
      });
    }
    return [...cells.filter((cell) => !isOther(cell)), ...added.values()];
  }

  /** The label of the row of the groups that the limit leaves out. */
  get othersLabel(): string {
    return `Others (${this.others?.length})`;
  }

  /** The number that a measure or a formula shows for some rows, as SQL. */
  private shownSum(shown: string): string {
    const sum = (measure: string) => {
      const name = ident(measure);
      return `sum(CASE WHEN ${TOUCHED} THEN ${name} WHEN ${name} IS NOT NULL THEN 0 END)`;
    };
    const formula = this.table.formulas?.find(({ name }) => name === shown);
    return formula ? formula.sql(sum) : sum(shown);
  }

  /** Returns the labels of a place, outermost first. */
  labels({ row, column }: Meaning): { row: string[]; column: string[] } {
    const { levels, splits } = this.layout;
    const label = (of: readonly Level[]) => (key: Key, i: number) =>
      labelOf(key, (of[i] as Level).kind);
    const labels = row.map((key, i) => (key === OTHERS ? this.othersLabel : label(levels)(key, i)));
    return { row: labels, column: column.map(label(splits)) };
  }

  /**
   * Returns the rows of any of the cells as a condition on the stored rows; null if SQL has no equivalent.
   * `held` ignores the filters that a slice cannot contain.
   */
  behind(cells: readonly Meaning[], { held = false } = {}): string | null {
    const filters = held ? heldFilters(this.layout) : this.layout.filters;
    const where = filterSql({ ...this.layout, filters });
    if (where === null) return null;
    const { levels, splits } = this.layout;
    const conditions: string[] = [];
    for (const { row, column } of cells) {
      const parts: string[] = [];
      for (const [of, keys] of [
        [levels, row],
        [splits, column],
      ] as const) {
        for (const [i, key] of keys.entries()) {
          const sql = of[i]?.sql ?? null;
          if (sql === null) return null;
          parts.push(`(${sql})::text IS NOT DISTINCT FROM ${keyText(key)}`);
        }
      }
      conditions.push(`(${parts.join(' AND ') || 'TRUE'})`);
    }
    return `(${where}) AND (${conditions.join(' OR ')})`;
  }

  /** Returns the cells with these labels, without applying filters; none if SQL has no equivalent. */
  async find(row: readonly string[], column: readonly string[]): Promise<Meaning[]> {
    const { levels, splits } = this.layout;
    const [rows, columns] = await Promise.all([
      this.pathsLabelled(levels.slice(0, row.length), row),
      this.pathsLabelled(splits.slice(0, column.length), column),
    ]);
    return rows.flatMap((path) => columns.map((across) => ({ row: path, column: across })));
  }

  /** Returns the places of the groups behind a cell of the row "Others". */
  async findOthers(column: readonly string[]): Promise<Meaning[] | null> {
    const { splits } = this.layout;
    const columns = await this.pathsLabelled(splits.slice(0, column.length), column);
    const { others } = this;
    return (
      others && columns.flatMap((across) => others.map((key) => ({ row: [key], column: across })))
    );
  }

  private async pathsLabelled(of: readonly Level[], labels: readonly string[]): Promise<Key[][]> {
    if (!of.every(Oracle.isKnown)) return [];
    if (of.length === 0) return [[]];
    const found = await this.query<Record<string, Key>>(
      `SELECT DISTINCT ${of.map(({ sql }, i) => `(${sql})::text AS k${i}`).join(', ')}
         FROM ${this.stored}`,
    );
    return found
      .map((keys) => of.map((_, i) => keys[`k${i}`] ?? null))
      .filter((keys) => keys.every((key, i) => labelOf(key, (of[i] as Level).kind) === labels[i]));
  }

  /** Returns the sum of a slice's rows on screen before an entry. */
  async sumOfSlice(slice: Slice, entry: number, measure: string): Promise<number> {
    const conditions = Object.entries(slice).map(([name, value]) => {
      const attribute = this.table.attributes?.find((each) => each.name === name);
      const column = attribute
        ? ({ kind: 'text' } as const)
        : this.table.columns.find((c) => c.name === name);
      if (!column) throw new Error(`A slice by ${name}, which is no column of the table`);
      const group = attribute ? attributeSql(attribute) : groupSql(column.kind, ident(name));
      if (isDateRange(value)) {
        const ends = Object.entries({ '>=': value.from, '<=': value.to });
        return `(${ends.flatMap(([op, end]) => (end ? [`${ident(name)} ${op} ${keyText(end)}::date`] : [])).join(' AND ')})`;
      }
      const one = (key: Slice[string]) => {
        const wanted = keyText(key === null ? null : String(key));
        return column.kind === 'numeric'
          ? `${group} IS NOT DISTINCT FROM ${wanted}::double precision`
          : `${group}::text IS NOT DISTINCT FROM ${wanted}`;
      };
      return `(${[value].flat().map(one).join(' OR ')})`;
    });
    const [row] = await this.query<{ sum: number | null }>(
      `SELECT sum(${ident(measure)})::float8 AS sum FROM ${this.stored}
        WHERE ${[`pf_logid < ${entry}`, TOUCHED, filterSql(this.layout) ?? 'TRUE', ...conditions].join(' AND ')}`,
    );
    return row?.sum ?? 0;
  }

  /** Returns count and sums of the rows of a condition that an operation may change. */
  async totals(behind: string): Promise<{ rows: number; sums: Record<string, number> }> {
    const { measures } = this.table;
    const [row] = await this.query<Record<string, number | null>>(
      `SELECT count(*)::int AS rows,
              ${measures.map((m, i) => `sum(${ident(m.name)})::float8 AS m${i}`).join(', ')}
         FROM ${this.stored} WHERE ${behind} AND ${TOUCHED}`,
    );
    return {
      rows: row?.rows ?? 0,
      sums: Object.fromEntries(measures.map((m, i) => [m.name, row?.[`m${i}`] ?? 0])),
    };
  }

  /**
   * Returns whether lists of values, one per column or attribute, select exactly the rows of a condition. The columns
   * are those of the layout, of its filters and of its expressions.
   */
  async isSlice(behind: string): Promise<boolean> {
    const groups = [
      ...this.table.columns.map(({ name, kind }) => groupSql(kind, ident(name))),
      ...(this.table.attributes ?? []).map(attributeSql),
    ];
    const lists = groups.map((group) => {
      const values = `SELECT (${group})::text FROM ${this.stored} WHERE ${behind}`;
      return `((${group})::text IN (${values}) OR (${group} IS NULL AND EXISTS (
        SELECT FROM ${this.stored} WHERE ${behind} AND ${group} IS NULL)))`;
    });
    const [row] = await this.query<{ outside: number }>(
      `SELECT count(*)::int AS outside FROM ${this.stored}
        WHERE ${lists.join(' AND ')} AND (${behind}) IS NOT TRUE`,
    );
    return row?.outside === 0;
  }

  /**
   * Returns every leaf that an entry changed or should have changed, computed from the rows of the condition
   * before the entry.
   */
  async changes(behind: string, asked: Asked, entry: number): Promise<LeafChange[]> {
    const { columns, measures } = this.table;
    const leaf = columns.map((c) => ident(c.name));
    const apart = columns.map((c) => leafSql(c.kind, ident(c.name)));
    const zeros = measures.map(() => '0').join(', ');
    const sums = measures.map((m) => `sum(${ident(m.name)})`);
    const before = `${this.stored} WHERE pf_logid < ${entry} AND ${TOUCHED} AND ${behind}`;
    const rows = await this.query<Record<string, unknown>>(
      `WITH net AS (SELECT ${[...leaf, ...sums.map((s, i) => `${s} AS m${i}`)].join(', ')}
                      FROM ${before} GROUP BY ${[...leaf, ...apart].join(', ')}),
            all_of AS (
              ${this.expectation(asked, leaf)}
              UNION ALL
              SELECT ${[...leaf, 'FALSE', zeros, ...measures.map((m) => ident(m.name))].join(', ')}
                FROM ${this.stored} WHERE pf_logid = ${entry})
       SELECT bool_or(behind) AS behind, to_jsonb(ARRAY[${leaf.map((c) => `${c}::text`).join(', ')}])::text AS leaf,
              ${measures.map((_, i) => `sum(e${i})::float8 AS e${i}, sum(d${i})::float8 AS d${i}`).join(', ')}
         FROM all_of AS both_of (${[...leaf, 'behind', ...measures.map((_, i) => `e${i}`), ...measures.map((_, i) => `d${i}`)].join(', ')})
        GROUP BY ${[...leaf, ...apart].join(', ')}`,
    );
    const named = (row: Record<string, unknown>, letter: string) =>
      Object.fromEntries(measures.map((m, i) => [m.name, (row[`${letter}${i}`] as number) ?? 0]));
    const found = rows.map((row) => ({
      leaf: row.leaf as string,
      behind: row.behind as boolean,
      expected: named(row, 'e'),
      actual: named(row, 'd'),
    }));
    return asked.kind === 'scale' ? scaled(found, asked) : found;
  }

  /**
   * Returns leaves with their expected results: for a scale the leaf itself, from which {@link scaled}
   * computes the shares.
   */
  private expectation(asked: Asked, leaf: readonly string[]): string {
    const { columns, measures } = this.table;
    const zeros = measures.map(() => '0');
    const select = (names: readonly string[], factor: number) =>
      `SELECT ${[...names, names === leaf ? 'TRUE' : 'FALSE', ...measures.map((_, i) => `m${i} * ${factor}`), ...zeros].join(', ')} FROM net`;
    if (asked.kind === 'scale') return select(leaf, 1);
    if (asked.kind === 'clone') return select(leaf, asked.factor);
    const moved = columns.map((c, i) =>
      Object.hasOwn(asked.set, c.name)
        ? `${keyText(asked.set[c.name] ?? null)}::${sqlType(c.kind)}`
        : (leaf[i] as string),
    );
    return `${select(leaf, -1)} UNION ALL ${select(moved, 1)}`;
  }
}

/** The key of the row of the groups that the limit leaves out; no stored value contains NUL. */
const OTHERS = '\u0000others';

/** The plan: the rows that operations see and measures show, unless a version has other excluded rows. */
const TOUCHED = `pf_iter NOT IN ('reference')`;

function scaled(leaves: LeafChange[], asked: Extract<Asked, { kind: 'scale' }>): LeafChange[] {
  const total = leaves.reduce((sum, { expected }) => sum + (expected[asked.measure] ?? 0), 0);
  const increment = incrementOf(asked, total);
  return leaves.map((leaf) => {
    // Without a total, every distribution over the cell's leaves is equally correct.
    if (total === 0 && leaf.behind) return { ...leaf, expected: leaf.actual };
    const share = (part: number) => (total === 0 ? 0 : (increment * part) / total);
    const expected = Object.entries(leaf.expected).map(([name, part]) => [
      name,
      name === asked.measure ? share(part) : 0,
    ]);
    return { ...leaf, expected: Object.fromEntries(expected) as Record<string, number> };
  });
}

/** Returns the amount that a scale adds to a total. */
export function incrementOf(asked: Extract<Asked, { kind: 'scale' }>, total: number): number {
  if (asked.by === 'Change') return asked.amount;
  return asked.by === 'Percent' ? (total * asked.amount) / 100 : asked.amount - total;
}
