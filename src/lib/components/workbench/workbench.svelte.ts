/** The state of the workbench: the form, its preview and its load. */
import { write } from '$lib/client/api';
import { messageOf } from '$lib/client/message-of';
import { keep, keptJson } from '$lib/client/storage';
import type { ColumnEntry } from '$lib/contract/columns';
import type { LoadAnswer, LoadPreview } from '$lib/contract/loads';
import type { Segment } from '$lib/contract/log';
import { isReference } from '$lib/contract/operations';
import { formatInterval, parseInterval } from '../interval';
import { segmentName } from './segment-name';
import { LoadDraft } from './load-draft.svelte';
import { PreviewState } from './preview-state.svelte';
import { spanOf } from './time-axis';
import type { TimelineBar } from './Timeline.svelte';

/** Returns an interval in a single spelling, so that equal intervals have equal texts. */
const normalInterval = (text: string): string => {
  const offset = parseInterval(text);
  return offset ? formatInterval(offset) : text;
};

/** The form of the workbench and the load that it would make. */
export class Workbench {
  readonly draft: LoadDraft;
  readonly preview: PreviewState;
  busy = $state(false);
  /** The reason of the last refused load. */
  failure = $state<string | null>(null);

  constructor(
    private readonly versionId: number,
    columns: readonly ColumnEntry[],
  ) {
    this.draft = new LoadDraft(columns);
    this.draft.fill(keptJson(this.keptKey, 'tab'));
    this.preview = new PreviewState(versionId);
  }

  private get keptKey(): string {
    return `pf.load.${this.versionId}`;
  }

  /** Stores the form, so that it survives F5. */
  keepDraft(): void {
    keep(this.keptKey, this.draft.filled, 'tab');
  }

  /** Returns a loaded segment that has the rows of the form, at the same dates; null if there is none. */
  alreadyLoaded(segments: readonly Segment[]): Segment | null {
    const { draft, preview } = this;
    if (draft.editing || !preview.answer || preview.waiting) return null;
    const { where_clause } = preview.answer;
    const offset = normalInterval(draft.dateOffset);
    return (
      segments.find(
        ({ operation, params }) =>
          operation === draft.kind &&
          params?.where_clause === where_clause &&
          normalInterval(params.date_offset ?? '') === offset,
      ) ?? null
    );
  }

  edit(segment: Segment): void {
    this.failure = null;
    this.draft.edit(segment);
  }

  cancel(): void {
    this.failure = null;
    this.draft.reset();
  }

  /**
   * Loads a segment, or replaces the edited one. Returns null if the service refused; `failure` has the
   * reason.
   */
  async submit(pf_user: string): Promise<LoadAnswer | null> {
    const { draft } = this;
    if (draft.request === null) return null;
    const body = { ...draft.request, pf_user, note: draft.note.trim() || null };
    this.busy = true;
    this.failure = null;
    try {
      const answer = draft.editing
        ? await write('PUT /versions/{id}/baseline/{logid}', {
            id: this.versionId,
            logid: draft.editing.id,
            body,
          })
        : draft.kind === 'reference'
          ? await write('POST /versions/{id}/reference', { id: this.versionId, body })
          : await write('POST /versions/{id}/baseline', { id: this.versionId, body });
      draft.loaded();
      return answer;
    } catch (error) {
      this.failure = messageOf(error);
      return null;
    } finally {
      this.busy = false;
    }
  }

  /**
   * Returns the bars of the timeline for one date column: the source, each segment with its dates in the
   * version (oldest first), and the rows that the form would load. Segments without a date have no bar.
   */
  bars(source: LoadPreview | null, segments: readonly Segment[], date: string): TimelineBar[] {
    const bars: TimelineBar[] = [];
    const spanFor = <S extends { cname: string }>(spans: readonly S[]) =>
      spans.find((span) => span.cname === date);

    const whole = source && spanFor(source.spans);
    const wholeSpan = whole && spanOf(whole.min, whole.max);
    if (wholeSpan) bars.push({ key: 'source', kind: 'source', label: 'Source', span: wholeSpan });

    for (const segment of [...segments].sort((a, b) => a.id - b.id)) {
      if (segment.id === this.draft.editing?.id && this.preview.answer) continue;
      const found = spanFor(segment.spans);
      const span = found && spanOf(found.min, found.max);
      if (!span) continue;
      const kind = isReference(segment.operation) ? 'reference' : 'baseline';
      const label = segment.note?.split('\n')[0] || segmentName(segment, segments);
      bars.push({ key: String(segment.id), kind, label, span, counts: true });
    }

    const coming = this.preview.answer && spanFor(this.preview.answer.spans);
    const comingSpan = coming && spanOf(coming.shifted_min, coming.shifted_max);
    if (comingSpan) {
      // An edited segment replaces its old bar; a new one is not loaded yet.
      const edited = this.draft.editing;
      bars.push({
        key: 'pending',
        kind: this.draft.kind,
        label: edited ? `${segmentName(edited, segments)}, edited` : 'This segment',
        span: comingSpan,
        pending: true,
        counts: edited !== null,
      });
    }
    return bars;
  }
}
