/** Translates layouts to and from the viewer's configuration. */
import * as v from 'valibot';
import { Layout } from '../../contract/stored-layout';
import type { Buckets } from './buckets';
import type { Viewer } from '../values/engine-types';

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
}

/**
 * Translates between a layout and the configuration of the viewer. The viewer gets no expression that is
 * already a bucket column of the table, and only the levels of rows that are open. Another level is added when
 * it is first opened (docs/decisions/0039-the-first-screen.md).
 */
export class ViewerLayout {
  /**
   * The rows that were sent to the viewer, latest first; until it accepts the latest, it may show an older
   * one.
   */
  private told: readonly ToldRows[] = [];
  /** Whether the viewer gets all levels of rows, open or closed. */
  isWhole = false;

  /** @param levelsOf returns the number of levels that are needed to show the open rows */
  constructor(
    private readonly viewer: Pick<Viewer, 'save'>,
    private readonly buckets: Buckets,
    private readonly levelsOf: (rows: readonly string[]) => number,
  ) {}

  /** All levels of rows, in their latest arrangement. */
  get rows(): readonly string[] {
    return this.told[0]?.all ?? [];
  }

  /** Returns the layout that the viewer shows, including the levels that it does not have yet. */
  async read(): Promise<Layout> {
    const layout = v.parse(Layout, await this.viewer.save());
    const shown = JSON.stringify(layout.group_by ?? []);
    // An arrangement that was made in the viewer's own settings is not found here.
    const told = this.told.find(
      ({ all, levels }) => JSON.stringify(all.slice(0, levels)) === shown,
    );
    return this.buckets.named(told ? { ...layout, group_by: [...told.all] } : layout);
  }

  /** Takes over the levels of rows that were arranged in the viewer's own settings. */
  async follow(): Promise<void> {
    const { told } = this;
    const { group_by = [] } = await this.read();
    // Rows that were sent meanwhile are newer.
    if (told !== this.told || JSON.stringify(group_by) === JSON.stringify(this.rows)) return;
    this.told = [{ all: group_by, levels: group_by.length }];
  }

  /** Returns the configuration for a layout; the caller then calls {@link settle}. */
  tell({ group_by, expressions, ...others }: Partial<Layout>): Told {
    const levels = this.isWhole ? (group_by?.length ?? 0) : this.levelsOf(group_by ?? []);
    const rows = group_by ? { all: group_by, levels } : null;
    if (rows) this.told = [rows, ...this.told];
    const config = {
      ...others,
      ...(group_by && { group_by: group_by.slice(0, levels) }),
      ...(expressions && { expressions: this.buckets.without(expressions) }),
    };
    return { config, rows };
  }

  /** Notes whether the viewer accepted a configuration. */
  settle({ rows }: Told, isTaken: boolean): void {
    if (!rows) return;
    const at = this.told.indexOf(rows);
    this.told = isTaken ? this.told.slice(0, at + 1) : this.told.filter((each) => each !== rows);
  }
}
