/** Keeps indexes for small slices on large versions (docs/decisions/0055-indexes-for-small-slices.md). */
import type { IndexRules } from '../../config';
import type { Database } from '../../db/database';
import { isDistributed } from '../../db/versions/distributed';
import {
  analyze,
  createSliceIndex,
  distinctValues,
  dropSliceIndex,
  growthSince,
  sliceIndexes,
} from '../../db/versions/slice-indexes';
import { AppError } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { forecastTableName } from '../../sql/forecast-table';
import { selectingColumns } from '../../sql/slice';
import { readVersion } from '../version/forecast-version';

/** The share of the indexed rows that may come after them until the indexes are built again. */
const SHARE = 0.25;
/** A column gets an index if it has at least this many values, or as many as a version with indexes has rows. */
const VALUES = 20;
/** Further dimensions would select the same rows again in most slices. */
const DIMENSIONS = 2;

/**
 * Builds the indexes of versions in the background, some seconds after their last write. Without them every
 * operation reads all rows of its version, which takes half a second for each million.
 */
export class SliceIndexes {
  private readonly waiting = new Map<number, NodeJS.Timeout>();
  private work: Promise<void> = Promise.resolve();

  /**
   * @param onFailure called with an error that keeps a version from getting its indexes
   */
  constructor(
    private readonly db: Database,
    private readonly rules: IndexRules,
    private readonly onFailure: (versionId: number, error: unknown) => void,
  ) {}

  /** Looks at a version soon, because it was written to. */
  written(versionId: number): void {
    clearTimeout(this.waiting.get(versionId));
    const timer = setTimeout(() => {
      this.waiting.delete(versionId);
      // One at a time: an index takes a core and reads the whole table.
      this.work = this.work.then(() => this.look(versionId));
    }, this.rules.delay);
    this.waiting.set(versionId, timer.unref());
  }

  /** Looks at no more versions. */
  end(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  private async look(versionId: number): Promise<void> {
    try {
      await this.build(versionId);
    } catch (error) {
      // The version was deleted meanwhile.
      if (!(error instanceof AppError && error.status === 404)) this.onFailure(versionId, error);
    }
  }

  private async build(versionId: number): Promise<void> {
    const { db, rules } = this;
    const { table, source, columns, indexedTo } = await readVersion(db, versionId);
    const { newest, before, since } = await growthSince(db, versionId, indexedTo ?? 0);
    if (newest === null || since < Math.max(rules.rows, SHARE * before)) return;
    if (await isDistributed(db, versionId)) return;
    await analyze(db, table);
    const tableName = forecastTableName(source.tname, versionId);
    const distinct = await distinctValues(db, tableName, selectingColumns(columns));
    const chosen = chosenColumns(columns, distinct, Math.min(VALUES, rules.rows));
    for (const [i, column] of chosen.entries()) {
      await createSliceIndex(db, table, { column, upTo: newest, number: i + 1 });
    }
    for (const { name, upTo, isValid } of await sliceIndexes(db, tableName)) {
      if (upTo < newest || !isValid) await dropSliceIndex(db, name);
    }
  }
}

/**
 * The columns that get an index: each date, since nearly every cell of a pivot is in a period, and the dimensions
 * with the most values.
 *
 * @param distinct number of values by column, most first
 * @param least the values that a column needs
 */
function chosenColumns(
  columns: readonly ForecastColumn[],
  distinct: readonly { name: string; values: number }[],
  least: number,
): string[] {
  const selective = distinct.filter(({ values }) => values >= least).map(({ name }) => name);
  const isDate = (name: string) => columns.some((c) => c.name === name && c.role === 'date');
  const dates = selective.filter(isDate);
  return [...dates, ...selective.filter((name) => !isDate(name)).slice(0, DIMENSIONS)];
}
