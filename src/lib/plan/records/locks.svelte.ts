/** The locks of the version on the page. */
import * as api from '../../client/api';
import { ApiError } from '../../client/http';
import type { ColumnEntry } from '../../contract/columns';
import type { Lock } from '../../contract/locks';
import { isDateRange, type Slice } from '../../contract/slices';
import type { ClosedDate } from '../../pivot/grid/views/closed-headers';
import type { Overlap } from '../../pivot/grid/cells/reach';
import { FollowedList } from './followed-list.svelte';
import { type Days, joinedDays } from '../amounts/day-ranges';
import { seenIn, type SeenRecord } from '../version/own-part';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Reviews } from './reviews.svelte';

/** A note for a lock, or for several closes, that hold rows of a slice. */
interface LockNote {
  text: string;
  /** The parts of the version that are held; none if the whole slice is held. */
  parts: readonly Slice[];
}

/** The version's locks, as the service last returned them (docs/contract/19-planning-together.md#locks). */
export class Locks extends FollowedList<SeenRecord<Lock>> {
  /**
   * @param onChange is called when a read returns other locks than before
   * @param reviews hold rows like locks
   */
  constructor(
    private readonly planned: PlannedVersion,
    onChange: () => void,
    private readonly reviews: Reviews,
  ) {
    super(async (signal) => {
      const all = await api.call('GET /versions/{id}/locks', { id: planned.id, signal });
      const seen = seenIn(planned.source);
      return all.map((lock) =>
        lock.logid === undefined ? seen(lock) : { ...lock, seen: lock.slice },
      );
    }, onChange);
  }

  /**
   * Locks the rows of a slice. @throws ApiError with the service's sentence; nothing is locked in that case
   */
  async add(slice: Slice, note: string, pf_user: string): Promise<void> {
    await api.call('POST /versions/{id}/locks', {
      id: this.planned.id,
      body: { slice, ...(note !== '' && { note }), pf_user },
    });
    await this.read();
  }

  /** Removes a lock, which may be gone already. @throws ApiError; the lock still exists in that case */
  async remove(lock: Lock): Promise<void> {
    await api.call('DELETE /locks/{id}', { id: lock.id }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    });
    await this.read();
  }

  /** Returns the locks that hold rows of a slice, and the extent of each overlap. */
  on(slice: Slice): { lock: SeenRecord<Lock>; overlap: Exclude<Overlap, 'none'> }[] {
    return this.all.flatMap((lock) => {
      const overlap = this.planned.overlapOf(slice, lock.seen);
      return overlap === 'none' ? [] : [{ lock, overlap }];
    });
  }

  /** Returns the days of a date column that closes of months have locked, without gaps between adjacent closes. */
  closedDays(column: string | undefined): Days[] {
    const days = this.all.flatMap(({ slice, logid }): Days[] => {
      const range = logid === undefined || column === undefined ? undefined : slice[column];
      if (range === undefined || !isDateRange(range)) return [];
      const { from, to } = range;
      return from === undefined || to === undefined ? [] : [{ from, to }];
    });
    return joinedDays(days);
  }

  /** Returns the dates among the columns of the source that have closed days. */
  closedDates(columns: readonly ColumnEntry[]): ClosedDate[] {
    return this.dates(columns).filter(({ ranges }) => ranges.length > 0);
  }

  /** Returns the dates among the columns of the source, with their closed days and the periods that follow from them. */
  dates(columns: readonly ColumnEntry[]): ClosedDate[] {
    const dates = columns.filter(({ role }) => role === 'date');
    return dates.map(({ cname: date, dim_group }) => {
      const periods = columns.filter((c) => c.role === 'dimension' && c.dim_group === dim_group);
      const names = dim_group === null ? [] : periods.map(({ cname }) => cname);
      return { date, ranges: this.closedDays(date), periods: names };
    });
  }

  /** Returns a note for each lock on a slice. Several closes that hold some of its rows share one note. */
  notesOn(slice: Slice): LockNote[] {
    const held = this.on(slice);
    const closes = held.filter(
      ({ lock, overlap }) => overlap === 'some' && lock.logid !== undefined,
    );
    const several = closes.length > 1 ? closes : [];
    const single = held.filter((each) => !several.includes(each));
    const notes = single.map(({ lock, overlap }) => {
      return { text: lockText(lock), parts: overlap === 'some' ? [lock.slice] : [] };
    });
    if (several.length === 0) return notes;
    const names = several.map(({ lock }) => lock.created_by);
    const distinct = names.filter((name, i) => names.indexOf(name) === i);
    const closed = this.closedDates(this.planned.columns).flatMap(({ date, ranges }) =>
      ranges.map((days): Slice => ({ [date]: days })),
    );
    const parts = closed.filter((part) => this.planned.overlapOf(slice, part) !== 'none');
    return [{ text: `Closed by ${distinct.join(', ')}`, parts }, ...notes];
  }

  /** Returns why the rows of a slice cannot be changed; null if some of them may be free. */
  obstacle(slice: Slice): string | null {
    const whole = this.on(slice).find(({ overlap }) => overlap === 'all');
    return whole ? `${lockText(whole.lock)}.` : this.reviews.obstacle(slice);
  }
}

/** Returns the author of a lock, and its note: "Locked by eve: Q1 is closed", "Closed by ann (entry 7)". */
export const lockText = ({ created_by, note, logid }: Lock): string => {
  const what =
    logid === undefined ? `Locked by ${created_by}` : `Closed by ${created_by} (entry ${logid})`;
  return note ? `${what}: ${note}` : what;
};
