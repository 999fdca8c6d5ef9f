import type { Scalar } from '../contract/primitives';
import type { LayoutFilter } from '../contract/stored-layout';
import { toScalar } from './cell-value';
import { parseRows, type ReadRows } from './columns-json';
import type { CellValue, Schema, ReadTable, ViewConfig } from './engine-types';
import type { Gate } from './gate';
import type { KnownValues } from './known-values';
import { withView } from './with-view';

/** One value of a column. */
export interface Member {
  /** As a filter names it; null is the empty value. */
  value: Scalar | null;
  /** Null as long as they are not counted. */
  rows: number | null;
  /** Null without a measure, too. */
  sum: number | null;
}

/** The values of a table's columns in the version's own rows: no other version's, and none that are tried. */
export class Members {
  constructor(
    private readonly table: ReadTable,
    private readonly schema: Schema,
    private readonly index: string,
    private readonly values: KnownValues,
    private readonly gate: Gate,
    /** The filter that leaves out rows which are not the version's own. */
    private readonly ownOnly: () => LayoutFilter[],
  ) {}

  /** Values of a column that contain a text, sorted; null if the column is not loaded. */
  async containing(
    column: string,
    search: string,
    limit: number,
  ): Promise<(Scalar | null)[] | null> {
    const type = this.schema[column];
    if (type === undefined) return null;
    const values = this.values.of(column) ?? (await this.read(column));
    const wanted = search.trim().toLowerCase();
    return values
      .map((value) => toScalar(value, type))
      .filter((value) =>
        String(value ?? '')
          .toLowerCase()
          .includes(wanted),
      )
      .slice(0, limit);
  }

  /**
   * The values of a column if they can be told at once; each is without the number of its rows. Null if the
   * engine has to be asked.
   */
  known(column: string): Member[] | null {
    const values = this.values.of(column);
    const type = this.schema[column];
    return (
      values && values.map((value) => ({ value: toScalar(value, type), rows: null, sum: null }))
    );
  }

  /**
   * The values of a column, each with the number of its rows and the sum of a measure, which is null without
   * one; sorted by value.
   */
  async counted(column: string, measure: string | null): Promise<Member[]> {
    const { index } = this;
    const measures = measure === null ? [] : [measure];
    const { paths, columns } = await this.ask({
      group_by: [column],
      columns: [index, ...measures],
      aggregates: { [index]: 'count', ...Object.fromEntries(measures.map((m) => [m, 'sum'])) },
    });
    const sums = measure === null ? undefined : columns.get(measure);
    return (paths ?? []).flatMap((path, y) => {
      // The first path is that of the total.
      if (path.length !== 1) return [];
      const value = toScalar(path[0] ?? null, this.schema[column]);
      const sum = sums ? Number(sums[y] ?? 0) : null;
      return { value, rows: Number(columns.get(index)?.[y] ?? 0), sum };
    });
  }

  private async read(column: string): Promise<CellValue[]> {
    const { moment } = this.values;
    const { paths } = await this.ask({ group_by: [column], columns: [] });
    const values = (paths ?? []).filter((path) => path.length === 1).map(([value = null]) => value);
    if (moment === this.values.moment) this.values.set(column, values);
    return values;
  }

  private async ask(config: Partial<ViewConfig>): Promise<ReadRows> {
    const { table, gate, ownOnly } = this;
    const text = await gate.ask(() =>
      withView(table, { ...config, filter: ownOnly() }, (view) => view.to_columns_string()),
    );
    return parseRows(text);
  }
}
