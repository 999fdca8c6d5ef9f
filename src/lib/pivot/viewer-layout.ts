import * as v from 'valibot';
import { Layout } from '../contract/stored-layout';
import type { Buckets } from './buckets';
import type { Viewer } from './engine-types';

/** Levels of rows, and how many of them the viewer was told. */
interface ToldRows {
  all: readonly string[];
  levels: number;
}

/**
 * What is arranged, and what the viewer is told of it: of dates that are grouped by a unit of time the columns
 * in the place of the expressions, and of the levels of rows those that are open. The others join the view
 * when they are first opened (docs/decisions/0047-levels-join-when-opened.md).
 */
export class ViewerLayout {
  /** What the viewer was told last, and before that: it may not show the last yet. */
  private rows: readonly ToldRows[] = [];
  /** Whether the viewer gets all levels of rows. */
  isWhole = false;

  /** @param levelsOf how many levels it takes to show what is open of some rows */
  constructor(
    private readonly viewer: Pick<Viewer, 'save'>,
    private readonly buckets: Buckets,
    private readonly levelsOf: (rows: readonly string[]) => number,
  ) {}

  /** What the viewer shows, and the levels that it does not have yet. */
  async read(): Promise<Layout> {
    const layout = v.parse(Layout, await this.viewer.save());
    const shown = JSON.stringify(layout.group_by ?? []);
    // Nobody has told it here what is arranged in the viewer's own settings.
    const told = this.rows.find(
      ({ all, levels }) => JSON.stringify(all.slice(0, levels)) === shown,
    );
    return this.buckets.named(told ? { ...layout, group_by: [...told.all] } : layout);
  }

  /** The part of a configuration that the viewer gets. */
  told({ group_by, expressions, ...others }: Partial<Layout>): Record<string, unknown> {
    const levels = this.isWhole ? (group_by?.length ?? 0) : this.levelsOf(group_by ?? []);
    if (group_by) this.rows = [{ all: group_by, levels }, ...this.rows].slice(0, 2);
    return {
      ...others,
      ...(group_by && { group_by: group_by.slice(0, levels) }),
      ...(expressions && { expressions: this.buckets.without(expressions) }),
    };
  }
}
