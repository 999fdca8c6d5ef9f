/** Reads from the database what operations on a table of amounts have changed. */
import type { Query } from '../../support/service';
import { keyText } from '../layout';
import { ident } from '../values';
import type { DrawnSlice } from './round';
import type { AmountMeasure, AmountTable } from './table';

/** The number of some rows and their sums by measure. */
export interface RowSums {
  rows: number;
  sums: Record<string, number>;
}

/** The rows behind a cell: all of the plan, and those of them that locks hold. */
export interface CellSums extends RowSums {
  held: RowSums;
}

/** A row that an entry wrote: its leaf, and its amounts by measure. */
export interface WrittenRow {
  leaf: Record<string, string | null>;
  amounts: Record<string, number>;
}

/** The plan: operations skip rows of other origins. */
const PLAN = `pf_iter <> 'reference'`;

/** A measure as SQL whose sum does not depend on the order of rows. */
const summed = ({ name, type }: AmountMeasure): string =>
  type === 'double precision' ? `${ident(name)}::text::numeric` : ident(name);

/** Reads sums and entries of a version by SQL. */
export class Stored {
  constructor(
    private readonly query: Query,
    private readonly table: AmountTable,
    private readonly stored: string,
    private readonly version: number,
  ) {}

  /** Sums of the plan's rows that meet a condition. */
  async sums(where: string, locks: readonly DrawnSlice[]): Promise<CellSums> {
    const { measures } = this.table;
    const held = locks.map(sliceSql).join(' OR ') || 'FALSE';
    const columns = (filter: string, name: string) => [
      `count(*) FILTER (WHERE ${filter})::int AS ${name}`,
      ...measures.map(
        (m, i) => `coalesce(sum(${summed(m)}) FILTER (WHERE ${filter}), 0)::float8 AS ${name}${i}`,
      ),
    ];
    const [row] = await this.query<Record<string, number>>(
      `SELECT ${[...columns('TRUE', 'a'), ...columns(held, 'h')].join(', ')}
         FROM ${this.stored} WHERE ${PLAN} AND (${where})`,
    );
    const part = (name: string): RowSums => ({
      rows: row?.[name] ?? 0,
      sums: Object.fromEntries(measures.map((m, i) => [m.name, row?.[`${name}${i}`] ?? 0])),
    });
    return { ...part('a'), held: part('h') };
  }

  async lastEntry(): Promise<number> {
    const [row] = await this.query<{ id: number }>(
      `SELECT coalesce(max(id), 0)::int AS id FROM pf.log WHERE version_id = ${this.version}`,
    );
    return row?.id ?? 0;
  }

  /** The rows that an entry wrote. */
  async written(entry: number): Promise<WrittenRow[]> {
    const { columns, measures } = this.table;
    const rows = await this.query<Record<string, string | number | null>>(
      `SELECT ${[
        ...columns.map((c) => `${ident(c.name)}::text AS ${ident(c.name)}`),
        ...measures.map((m) => `${ident(m.name)}::float8 AS ${ident(m.name)}`),
      ].join(', ')} FROM ${this.stored} WHERE pf_logid = ${entry}`,
    );
    const pick = <Value>(row: object, names: readonly { name: string }[]) =>
      Object.fromEntries(
        names.map(({ name }) => [name, (row as Record<string, Value>)[name] as Value]),
      );
    return rows.map((row) => ({ leaf: pick(row, columns), amounts: pick(row, measures) }));
  }

  /** The number of rows that the service answers for the rows of an entry: at a grain it adds up those of a group. */
  countAtGrain(rows: readonly WrittenRow[]): number {
    const grain = this.table.columns.filter((column) => column.grain);
    if (grain.length === 0) return rows.length;
    return new Set(rows.map(({ leaf }) => JSON.stringify(grain.map(({ name }) => leaf[name]))))
      .size;
  }

  /** Number of rows of an entry that locks hold, which must be none. */
  async writtenIn(entry: number, locks: readonly DrawnSlice[]): Promise<number> {
    if (locks.length === 0) return 0;
    const [row] = await this.query<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM ${this.stored}
        WHERE pf_logid = ${entry} AND (${locks.map(sliceSql).join(' OR ')})`,
    );
    return row?.rows ?? 0;
  }
}

/** A slice as a condition. */
export function sliceSql(slice: DrawnSlice): string {
  const parts = Object.entries(slice).map(([name, wanted]) => {
    const column = ident(name);
    if (wanted === null || typeof wanted === 'string' || Array.isArray(wanted)) {
      const same = [wanted]
        .flat()
        .map((key) => `${column}::text IS NOT DISTINCT FROM ${keyText(key)}`);
      return `(${same.join(' OR ')})`;
    }
    const { from, to } = wanted;
    const ends = [
      ...(from ? [`${column} >= '${from}'`] : []),
      ...(to ? [`${column} <= '${to}'`] : []),
    ];
    return `coalesce(${ends.join(' AND ')}, FALSE)`;
  });
  return `(${parts.join(' AND ') || 'TRUE'})`;
}
