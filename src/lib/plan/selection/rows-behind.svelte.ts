/** The stored rows behind the selected cells. */
import * as api from '../../client/api';
import { LatestCall } from '../../client/latest.svelte';
import { messageOf } from '../../client/message-of';
import type { EntryFacts, ListedRowKey, RowsAnswer } from '../../contract/log';
import type { Slice } from '../../contract/slices';
import type { NotHeld } from '../../pivot/slice/slice';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Selection } from './selection.svelte';

type ListedRow = RowsAnswer['rows'][number];

const OF_OTHER = 'Only the rows of this version can be listed. Open the other one to list its own.';

/** Rows of one entry that follow each other in the list. */
export interface ListedGroup {
  /** The entry; undefined for rows that the log does not know. */
  entry: EntryFacts | undefined;
  /** Whether operations skip these rows because of their origin, so that they are not in the plan. */
  isExcluded: boolean;
  rows: ListedRow[];
}

/** Lists the forecast rows of the selection by entry. The newest entry comes first. */
export class RowsBehind {
  /** Whether the list is shown. */
  isOpen = $state(false);
  /** The slice whose rows are listed; it stays while the list is open. */
  slice: Slice = $state.raw({});
  /** The splits and filters of the cell that the slice does not have. */
  notHeld: readonly NotHeld[] = $state.raw([]);
  rows: readonly ListedRow[] = $state.raw([]);
  /** Whether the first rows are known. */
  isRead = $state.raw(false);
  /** Whether rows are being read. */
  waiting = $state.raw(false);
  /** Why rows could not be read; null if they were. */
  failure: string | null = $state.raw(null);
  /** The place where the next rows begin; null if there are no more. */
  private next: ListedRowKey | null = $state.raw(null);
  private entries: readonly EntryFacts[] = $state.raw([]);
  private readonly call = new LatestCall();

  /** Whether there are more rows than those that were read. */
  readonly hasMore: boolean = $derived.by(() => this.next !== null);

  /** The rows that were read, by entry. */
  readonly groups: readonly ListedGroup[] = $derived.by(() =>
    byEntry(this.rows, this.entries, this.planned.current.exclude_iters),
  );

  /** @param onRefusal is called with a sentence if the rows of the selection cannot be listed */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly onRefusal: (sentence: string) => void,
  ) {}

  /** Shows the rows of the selection once the last pressed cell is read. Does nothing without a selection. */
  async open(): Promise<void> {
    await this.selection.markedByNow();
    const { current, inexact, showsOther } = this.selection;
    if (!current) return;
    const obstacle = showsOther ? OF_OTHER : inexact;
    if (obstacle !== null) return this.onRefusal(obstacle);
    this.slice = current.slice;
    this.notHeld = current.notHeld;
    this.rows = [];
    this.entries = [];
    this.isRead = false;
    this.isOpen = true;
    await this.read(this.start);
  }

  close(): void {
    this.call.stop();
    this.waiting = false;
    this.isOpen = false;
  }

  /** Reads the next rows, or the first ones if they could not be read. */
  more(): Promise<void> {
    return this.read(this.isRead ? this.next : this.start);
  }

  /** All rows of the list as CSV. @throws ApiError */
  csv(): Promise<Blob> {
    return api.listedRowsCsv(this.planned.id, { slice: this.slice, after: this.start });
  }

  /** An earlier state of the plan lacks the rows of later entries. */
  private get start(): ListedRowKey | null {
    const { asOf } = this.planned;
    return asOf && { pf_logid: asOf.id, pf_id: -1 };
  }

  private async read(after: ListedRowKey | null): Promise<void> {
    const signal = this.call.begin();
    this.waiting = true;
    this.failure = null;
    const body = { slice: this.slice, after };
    try {
      const answer = await api.call('POST /versions/{id}/rows', {
        ...{ id: this.planned.id, body, signal },
      });
      if (signal.aborted) return;
      this.rows = [...this.rows, ...answer.rows];
      this.entries = [...this.entries, ...answer.entries];
      this.next = answer.next;
      this.isRead = true;
    } catch (error) {
      if (signal.aborted) return;
      this.failure = messageOf(error);
    }
    this.waiting = false;
  }
}

/**
 * Groups listed rows by entry.
 *
 * @param excluded the origins that operations skip
 */
export function byEntry(
  rows: readonly ListedRow[],
  entries: readonly EntryFacts[],
  excluded: readonly string[],
): ListedGroup[] {
  const groups: ListedGroup[] = [];
  for (const row of rows) {
    const entry = entries.find(({ logid }) => logid === row.pf_logid);
    const isExcluded = excluded.includes(String(row.pf_iter));
    const last = groups.at(-1);
    const isSame = last?.isExcluded === isExcluded && last.rows[0]?.pf_logid === row.pf_logid;
    if (last && isSame) last.rows.push(row);
    else groups.push({ entry, isExcluded, rows: [row] });
  }
  return groups;
}
