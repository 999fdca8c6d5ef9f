/** Translates layouts to and from the viewer's configuration. */
import * as v from 'valibot';
import { Layout } from '../../contract/stored-layout';
import type { Buckets } from './buckets';
import type { Viewer } from '../values/engine-types';

/** The columns that a layout shows, and those that the viewer has: also the parts of computed columns. */
interface ToldColumns {
  shown: readonly string[];
  whole: readonly string[];
}

/** All row levels, and the number of those that the viewer has. */
interface ToldRows {
  all: readonly string[];
  levels: number;
}

/**
 * A configuration for the viewer; {@link ViewerLayout.settle} follows when the viewer has accepted or refused
 * it.
 */
interface Told {
  config: Record<string, unknown>;
  /** Null if the configuration has no levels of rows. */
  rows: ToldRows | null;
  /** Null if the configuration has no columns. */
  columns: ToldColumns | null;
  /** Whether other columns of the same view are to be shown: the viewer would keep its view. */
  isSameView: boolean;
}

/**
 * Translates between a layout and the configuration of the viewer. The viewer gets no expression that is
 * already a bucket column of the table, and only the levels of rows that are open. Another level is added when
 * it is first opened (docs/decisions/0039-the-first-screen.md). It also gets the columns from which the shown
 * ones are computed (docs/decisions/0019-measures-by-origin.md).
 */
export class ViewerLayout {
  /**
   * The rows that were sent to the viewer, latest first; until it accepts the latest, it may show an older
   * one.
   */
  private told: readonly ToldRows[] = [];
  /** The columns that were sent to the viewer, latest first. */
  private toldColumns: readonly ToldColumns[] = [];

  /**
   * @param levelsOf returns the number of levels that are needed to show the open rows
   * @param partsOf returns the columns that some columns are computed from and that are not among them
   */
  constructor(
    private readonly viewer: Pick<Viewer, 'save'>,
    private readonly buckets: Buckets,
    private readonly levelsOf: (rows: readonly string[]) => number,
    private readonly partsOf: (columns: readonly string[]) => readonly string[] = () => [],
  ) {}

  /** All levels of rows, in their latest arrangement. */
  get rows(): readonly string[] {
    return this.told[0]?.all ?? [];
  }

  /** Returns the layout that the viewer shows, including the levels that it does not have yet. */
  async read(): Promise<Layout> {
    const layout = v.parse(Layout, await this.viewer.save());
    const shown = JSON.stringify(layout.group_by ?? []);
    // An arrangement that others made is not found here.
    const told = this.told.find(
      ({ all, levels }) => JSON.stringify(all.slice(0, levels)) === shown,
    );
    const columns = JSON.stringify(namesOf(layout.columns));
    const { shown: named } =
      this.toldColumns.find(({ whole }) => JSON.stringify(whole) === columns) ?? {};
    return this.buckets.named({
      ...layout,
      ...(told && { group_by: [...told.all] }),
      ...(named && { columns: [...named] }),
    });
  }

  /** Takes over the levels of rows that others arranged in the viewer. */
  async follow(): Promise<void> {
    const { told } = this;
    const { group_by = [] } = await this.read();
    // Rows that were sent meanwhile are newer.
    if (told !== this.told || JSON.stringify(group_by) === JSON.stringify(this.rows)) return;
    this.told = [{ all: group_by, levels: group_by.length }];
  }

  /** Returns the configuration for a layout; the caller then calls {@link settle}. */
  tell({ group_by, columns, expressions, ...others }: Partial<Layout>): Told {
    const levels = this.levelsOf(group_by ?? []);
    const rows = group_by ? { all: group_by, levels } : null;
    if (rows) this.told = [rows, ...this.told];
    const shown = columns && namesOf(columns);
    const toldColumns = shown ? { shown, whole: [...shown, ...this.partsOf(shown)] } : null;
    const [before] = this.toldColumns;
    if (toldColumns) this.toldColumns = [toldColumns, ...this.toldColumns];
    const isSame = (key: keyof ToldColumns) =>
      JSON.stringify(before?.[key]) === JSON.stringify(toldColumns?.[key]);
    const config = {
      ...others,
      ...(toldColumns && { columns: toldColumns.whole }),
      ...(group_by && { group_by: group_by.slice(0, levels) }),
      ...(expressions && { expressions: this.buckets.without(expressions) }),
    };
    const isSameView = toldColumns !== null && isSame('whole') && !isSame('shown');
    return { config, rows, columns: toldColumns, isSameView };
  }

  /** Notes whether the viewer accepted a configuration. */
  settle({ rows, columns }: Told, isTaken: boolean): void {
    this.told = settled(this.told, rows, isTaken);
    this.toldColumns = settled(this.toldColumns, columns, isTaken);
  }
}

const namesOf = (columns: Layout['columns'] = []): string[] =>
  columns.filter((name) => name !== null);

/** Returns what may be on screen after the viewer accepted or refused a part of a configuration. */
function settled<T>(told: readonly T[], part: T | null, isTaken: boolean): readonly T[] {
  if (part === null) return told;
  return isTaken ? told.slice(0, told.indexOf(part) + 1) : told.filter((each) => each !== part);
}
