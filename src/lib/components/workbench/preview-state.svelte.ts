/** The preview of a load, requested again whenever the form changes. */
import { call } from '$lib/client/api';
import { ApiError } from '$lib/client/http';
import { Latest } from '$lib/client/latest.svelte';
import type { LoadPreview, LoadPreviewRequest } from '$lib/contract/loads';

/** Debounce of the preview while the form is filled in. */
const PAUSE_MS = 350;

/** The request field of a condition typed as SQL; most refusals about it begin with its name. */
const SQL_FIELD = 'raw_where';

/** The preview of a load, requested again whenever the form changes. */
export class PreviewState {
  private readonly latest = new Latest<LoadPreview>(PAUSE_MS);
  /** The problem with the condition typed as SQL. The page shows it at its field. */
  readonly sqlFault = $derived.by(() => {
    const { error } = this.latest;
    const blamed = error instanceof ApiError ? error.field : undefined;
    return blamed === SQL_FIELD ? (this.failure?.replace(`${SQL_FIELD}: `, '') ?? null) : null;
  });

  constructor(private readonly versionId: number) {}

  get answer(): LoadPreview | null {
    return this.latest.answer;
  }

  /** Why the service refused the preview; null if it did not. */
  get failure(): string | null {
    return this.latest.failure;
  }

  get waiting(): boolean {
    return this.latest.waiting;
  }

  /** Requests a preview, debounced. Null, for an incomplete form, drops the last answer. */
  ask(request: LoadPreviewRequest | null): void {
    if (request === null) this.latest.clear();
    else
      this.latest.ask((signal) =>
        call('POST /versions/{id}/baseline/preview', { id: this.versionId, body: request, signal }),
      );
  }

  /** Cancels the pending request. */
  stop(): void {
    this.latest.stop();
  }
}
