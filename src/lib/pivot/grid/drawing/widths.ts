/** Widths of the grid's columns. */
import type { RegularTable } from '../../values/engine-types';
import type { DrawnColumn } from '../cells/grid-columns';
import { groupParts } from './heads';

/** Key of the row headers' width in layouts. */
const ROW_HEADERS = '__ROW_PATH__';

/** Settings of a column in a layout's `plugin_config`. */
export interface ColumnSettings {
  column_size_override?: number;
}

/**
 * The widths that people gave to columns, by column name. The table itself stores them by position, which
 * changes.
 */
export class Widths {
  /** Includes the widths of columns that are not shown now. */
  private known = new Map<string, number>();
  /** Names and positions of the columns whose widths the table has: those that were drawn last. */
  private placed: readonly [name: string, place: number][] = [];
  /** Whether a layout was restored whose widths the table does not have yet. */
  isRestored = false;

  constructor(
    private readonly shown: Parameters<typeof groupParts>[1],
    private readonly element: { _column_sizes: Pick<RegularTable['_column_sizes'], 'override'> },
  ) {}

  /** Reads the table's widths of the columns that were drawn last, unless a layout has just been restored. */
  read(): void {
    if (this.isRestored) return;
    const { override } = this.element._column_sizes;
    for (const [name, place] of this.placed) {
      const width = override[place];
      if (width !== undefined) this.known.set(name, width);
      else this.known.delete(name);
    }
  }

  /** Writes the widths of some columns to the table. */
  write(columns: readonly DrawnColumn[]): void {
    const { override } = this.element._column_sizes;
    this.placed = this.places(columns);
    for (const [name, place] of this.placed) {
      const width = this.known.get(name);
      if (width !== undefined) override[place] = width;
      else delete override[place];
    }
    this.isRestored = false;
  }

  save(): Record<string, ColumnSettings> {
    const entries = [...this.known];
    return Object.fromEntries(
      entries.map(([name, width]) => [name, { column_size_override: width }]),
    );
  }

  restore(columns: Record<string, ColumnSettings>): void {
    this.isRestored = true;
    this.known.clear();
    for (const [name, { column_size_override: width }] of Object.entries(columns)) {
      if (typeof width === 'number') this.known.set(name, width);
    }
  }

  private places(columns: readonly DrawnColumn[]): [name: string, place: number][] {
    const first = (this.shown.reader?.config.group_by.length ?? 0) > 0 ? 1 : 0;
    const named = columns.map((column, x): [string, number] => [
      [...groupParts(column, this.shown), column.measure].join('|'),
      x + first,
    ]);
    return first > 0 ? [[ROW_HEADERS, 0], ...named] : named;
  }
}
