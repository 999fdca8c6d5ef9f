/** The preview of a load, requested again whenever the form changes. */
import { previewLoad } from '$lib/client/api';
import { ApiError } from '$lib/client/http';
import { Latest } from '$lib/client/latest.svelte';
import type { LoadPreview, LoadPreviewRequest } from '$lib/contract/loads';

/** Debounce of the preview while the form is filled in. */
const PAUSE_MS = 350;

/** The field of the condition typed as SQL; the service begins most of its refusals with it. */
const SQL_FIELD = 'raw_where';

/** What a load would bring; the preview is requested again whenever the form changes. */
export class PreviewState {
  readonly #latest = new Latest<LoadPreview>(PAUSE_MS);
  /** What is wrong with the condition typed as SQL. The page shows it at its field. */
  readonly sqlFault = $derived.by(() => {
    const { error } = this.#latest;
    const blamed = error instanceof ApiError ? error.field : undefined;
    return blamed === SQL_FIELD ? (this.failure?.replace(`${SQL_FIELD}: `, '') ?? null) : null;
  });

  constructor(private readonly versionId: number) {}

  get answer(): LoadPreview | null {
    return this.#latest.answer;
  }

  /** Why the service refused the preview; null if it did not. */
  get failure(): string | null {
    return this.#latest.failure;
  }

  get waiting(): boolean {
    return this.#latest.waiting;
  }

  /** Requests a preview, debounced; null, for an unfinished form, drops the last answer. */
  ask(request: LoadPreviewRequest | null): void {
    if (request === null) this.#latest.clear();
    else this.#latest.ask((signal) => previewLoad(this.versionId, request, { signal }));
  }

  /** Cancels the request that is not answered yet. */
  stop(): void {
    this.#latest.stop();
  }
}
