import * as v from 'valibot';
import { Layout } from '../../contract/stored-layout';
import type { Buckets } from './buckets';
import type { Viewer } from '../values/engine-types';

/** Levels of rows, and how many of them the viewer was told. */
interface ToldRows {
  all: readonly string[];
  levels: number;
}

/** What the viewer is told: to be settled when it has taken or refused it. */
interface Told {
  config: Record<string, unknown>;
  /** Null if it says nothing of rows. */
  rows: ToldRows | null;
}

/**
 * What is arranged, and what the viewer is told of it: of dates that are grouped by a unit of time the columns
 * in the place of the expressions, and of the levels of rows those that are open. The others join the view
 * when they are first opened (docs/decisions/0039-the-first-screen.md).
 */
export class ViewerLayout {
  /** What the viewer was told, the last first: until it has taken that, it may show what is behind. */
  private told: readonly ToldRows[] = [];
  /** Whether the viewer gets all levels of rows. */
  isWhole = false;

  /** @param levelsOf how many levels it takes to show what is open of some rows */
  constructor(
    private readonly viewer: Pick<Viewer, 'save'>,
    private readonly buckets: Buckets,
    private readonly levelsOf: (rows: readonly string[]) => number,
  ) {}

  /** All levels of rows, as they were arranged last. */
  get rows(): readonly string[] {
    return this.told[0]?.all ?? [];
  }

  /** What the viewer shows, and the levels that it does not have yet. */
  async read(): Promise<Layout> {
    const layout = v.parse(Layout, await this.viewer.save());
    const shown = JSON.stringify(layout.group_by ?? []);
    // Nobody has told it here what is arranged in the viewer's own settings.
    const told = this.told.find(
      ({ all, levels }) => JSON.stringify(all.slice(0, levels)) === shown,
    );
    return this.buckets.named(told ? { ...layout, group_by: [...told.all] } : layout);
  }

  /** Takes over the rows that were arranged in the viewer's own settings. */
  async follow(): Promise<void> {
    const { told } = this;
    const { group_by = [] } = await this.read();
    // Rows that were told meanwhile are newer.
    if (told !== this.told || JSON.stringify(group_by) === JSON.stringify(this.rows)) return;
    this.told = [{ all: group_by, levels: group_by.length }];
  }

  /** What the viewer is to be told of a layout; {@link settle} has to follow. */
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

  /** Notes whether the viewer shows what it was told. */
  settle({ rows }: Told, isTaken: boolean): void {
    if (!rows) return;
    const at = this.told.indexOf(rows);
    this.told = isTaken ? this.told.slice(0, at + 1) : this.told.filter((each) => each !== rows);
  }
}
