/** The comments of the version on the page. */
import * as api from '../../client/api';
import type { Comment } from '../../contract/comments';
import type { Slice } from '../../contract/slices';
import { FollowedList } from './followed-list.svelte';
import type { SelectedSlice } from '../selection/selected-slice';
import { seenIn, type SeenRecord } from '../version/own-part';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { MarkedSlice } from '../../pivot/grid/marks/comment-texts';
import { marksOf, newestOf, type Thread, threadsOf } from './threads';

/** The number of resolved threads that are read first, and with each further read. */
const RESOLVED = 50;

/** The version's comments, as the service last returned them (docs/contract/19-planning-together.md#comments). */
export class Comments extends FollowedList<SeenRecord<Comment>> {
  /** Whether the panel shows the comments on the selection. */
  isOpen = $state(false);
  /**
   * Texts that are being written, by their place: a reply or an edit is open while it has one. They survive
   * events and other selections.
   */
  drafts = $state.raw<Readonly<Record<string, string>>>({});

  /** All threads, resolved ones included, oldest first. */
  readonly threads: readonly Thread[] = $derived(threadsOf(this.all));
  /** The threads that are not resolved, those with the newest comment first. */
  readonly open: readonly Thread[] = $derived(
    this.threads
      .filter(({ comment }) => comment.resolved_at === undefined)
      .toSorted((a, b) => newestOf(b).id - newestOf(a).id),
  );
  /** The slices of the open threads, each once, with the text for their cells. */
  readonly marks: readonly MarkedSlice[] = $derived(marksOf(this.open));

  /** The greatest number of resolved threads that is read. */
  private readonly most: { resolved: number };
  /** Whether there may be resolved threads that were not read. */
  readonly hasEarlier: boolean = $derived.by(
    () => this.threads.length - this.open.length >= this.most.resolved,
  );

  constructor(private readonly planned: PlannedVersion) {
    const most = $state({ resolved: RESOLVED });
    super(async (signal) => {
      const all = await api.call('GET /versions/{id}/comments', {
        id: planned.id,
        query: { resolved: most.resolved },
        signal,
      });
      return all.map(seenIn(planned.source));
    });
    this.most = most;
  }

  /** Reads more of the resolved threads. Never throws, as {@link read}. */
  readEarlier(): Promise<void> {
    this.most.resolved += RESOLVED;
    return this.read();
  }

  /**
   * Returns the threads about a selection: those whose slice contains it, and those whose slice is inside it.
   */
  on({ slice, listed }: SelectedSlice): { here: Thread[]; inside: Thread[] } {
    const isHere = ({ comment }: Thread) =>
      [slice, listed].some((own) => this.planned.overlapOf(own, comment.seen) === 'all');
    const isInside = ({ comment }: Thread) => this.planned.overlapOf(comment.seen, slice) === 'all';
    return {
      here: this.threads.filter(isHere),
      inside: this.threads.filter((thread) => !isHere(thread) && isInside(thread)),
    };
  }

  /** Changes the text at a place; null ends the writing there. */
  draft(place: string, text: string | null): void {
    const { [place]: _, ...others } = this.drafts;
    this.drafts = text === null ? others : { ...others, [place]: text };
  }
}

/** The places of texts that are being written. */
export const DRAFTS = {
  thread: (slice: Slice): string => `thread ${JSON.stringify(slice)}`,
  reply: ({ id }: Comment): string => `reply ${id}`,
  edit: ({ id }: Comment): string => `edit ${id}`,
};
