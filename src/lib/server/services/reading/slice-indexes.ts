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
  isBeingBuilt,
  type SliceIndex,
  sliceIndexes,
  versionsWithIndexes,
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

/** The longest time until a build that did not end is tried again, in milliseconds. */
const LONGEST_PAUSE = 600_000;
/** The shortest one. */
const SHORTEST_PAUSE = 1_000;

/** What a look at the indexes of a version has found or done. */
type Look = 'complete' | 'gave way';

/** What the builds report. */
interface Reports {
  /** An error keeps a version from having its indexes for now. */
  failed: (versionId: number, error: unknown) => void;
  /** A build has ended for another statement that needed the table. */
  gaveWay: (versionId: number) => void;
}

/**
 * Builds the indexes of versions in the background, some seconds after their last write. Without them every
 * operation reads all rows of its version, which takes half a second for each million.
 *
 * Each look compares the indexes that a version should have with those that it has and that can be used. What is
 * missing is built, and tried again later if that fails.
 */
export class SliceIndexes {
  private readonly waiting = new Map<number, NodeJS.Timeout>();
  /** Number of looks at a version, one after the other, that left its indexes incomplete. */
  private readonly incomplete = new Map<number, number>();
  /** The newest entry at which no column of a version could have an index. */
  private readonly without = new Map<number, number>();
  private readonly ending = new AbortController();
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly rules: IndexRules,
    private readonly reports: Reports,
  ) {}

  /** Looks at a version soon, because it was written to. */
  written(versionId: number): void {
    this.lookIn(versionId, this.rules.delay);
  }

  /** Looks at the versions whose builds may have been interrupted when a server stopped. */
  async resume(): Promise<void> {
    for (const versionId of await versionsWithIndexes(this.db)) this.written(versionId);
  }

  /** Interrupts the build that runs, and looks at no more versions. */
  end(): void {
    this.ending.abort();
    for (const timer of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  private lookIn(versionId: number, milliseconds: number): void {
    if (this.ending.signal.aborted) return;
    clearTimeout(this.waiting.get(versionId));
    const timer = setTimeout(() => {
      this.waiting.delete(versionId);
      // One at a time: an index takes a core and reads the whole table.
      this.work = this.work.then(() => this.look(versionId));
    }, milliseconds);
    this.waiting.set(versionId, timer.unref());
  }

  private async look(versionId: number): Promise<void> {
    const { signal } = this.ending;
    if (signal.aborted) return;
    try {
      if ((await this.build(versionId)) === 'complete') {
        this.incomplete.delete(versionId);
        return;
      }
      if (!signal.aborted) this.reports.gaveWay(versionId);
    } catch (error) {
      // The version was deleted meanwhile.
      const isGone = error instanceof AppError && error.status === 404;
      if (isGone || signal.aborted) return;
      this.reports.failed(versionId, error);
    }
    const times = this.incomplete.get(versionId) ?? 0;
    this.incomplete.set(versionId, times + 1);
    const pause = Math.max(SHORTEST_PAUSE, this.rules.delay) * 2 ** Math.min(times, 20);
    this.lookIn(versionId, Math.min(pause, LONGEST_PAUSE));
  }

  private async build(versionId: number): Promise<Look> {
    const { db, rules } = this;
    const { table, source, columns, indexedTo } = await readVersion(db, versionId);
    const tableName = forecastTableName(source.tname, versionId);
    const since = Math.max(indexedTo ?? 0, this.without.get(versionId) ?? 0);
    const growth = await growthSince(db, versionId, since);
    const isLarger = growth.since >= Math.max(rules.rows, SHARE * growth.before);
    const upTo = isLarger ? growth.newest : indexedTo;
    const isUnused = (await sliceIndexes(db, tableName)).some(({ isValid }) => !isValid);
    if (upTo === null && !isUnused) return 'complete';
    if (await isDistributed(db, versionId)) return 'complete';
    // Another server builds them, or somebody builds an index of their own.
    if (await isBeingBuilt(db, tableName)) return 'gave way';
    const there = await this.dropWhere(tableName, ({ isValid }) => !isValid);
    if (there === 'gave way') return there;
    if (upTo === null) return 'complete';

    if (isLarger) await analyze(db, table);
    const distinct = await distinctValues(db, tableName, selectingColumns(columns));
    const usable = there.filter((index) => index.upTo === upTo);
    const has = usable.map(({ column }) => column);
    const wanted = chosenColumns(columns, distinct, Math.min(VALUES, rules.rows), has);
    if (wanted.length === 0) this.without.set(versionId, upTo);
    const names = usable.map(({ name }) => name);
    let number = 0;
    for (const column of wanted.filter((name) => !has.includes(name))) {
      do number += 1;
      while (names.includes(`slice_${upTo}_${number}`));
      const made = createSliceIndex(table, { column, upTo, number });
      if (!(await db.givingWay(made, tableName, this.ending.signal))) return 'gave way';
    }
    const left = await this.dropWhere(tableName, (index) => index.upTo < upTo);
    if (left === 'gave way') return left;
    const isThere = (column: string) =>
      left.some((index) => index.column === column && index.upTo === upTo && index.isValid);
    const missing = wanted.filter((column) => !isThere(column));
    if (missing.length === 0) return 'complete';
    throw new Error(`There is no index on "${missing.join('", "')}"`);
  }

  /** Drops some indexes of a version. @returns the others */
  private async dropWhere(
    tableName: string,
    isUnused: (index: SliceIndex) => boolean,
  ): Promise<SliceIndex[] | 'gave way'> {
    const all = await sliceIndexes(this.db, tableName);
    for (const { name } of all.filter(isUnused)) {
      const isDone = await this.db.givingWay(dropSliceIndex(name), tableName, this.ending.signal);
      if (!isDone) return 'gave way';
    }
    return sliceIndexes(this.db, tableName);
  }
}

/**
 * The columns that get an index: each date, since nearly every cell of a pivot is in a period, and the dimensions
 * with the most values.
 *
 * @param distinct number of values by column, most first
 * @param least the values that a column needs
 * @param has the columns that have an index; they keep it, so that close numbers of values do not make it change
 */
function chosenColumns(
  columns: readonly ForecastColumn[],
  distinct: readonly { name: string; values: number }[],
  least: number,
  has: readonly string[],
): string[] {
  const selective = distinct
    .filter(({ values }) => values >= least)
    .map(({ name }) => name)
    .toSorted((a, b) => Number(has.includes(b)) - Number(has.includes(a)));
  const isDate = (name: string) => columns.some((c) => c.name === name && c.role === 'date');
  const dates = selective.filter(isDate);
  return [...dates, ...selective.filter((name) => !isDate(name)).slice(0, DIMENSIONS)];
}
