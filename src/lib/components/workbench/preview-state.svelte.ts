import { ApiError, previewLoad } from '$lib/client/api';
import { messageOf } from '$lib/client/message-of';
import type { LoadPreview, LoadPreviewRequest } from '$lib/contract/loads';

/** So long the form has to be left alone before the rows behind it are counted. */
const PAUSE_MS = 350;

/** The field of the condition typed as SQL; the service begins most of its refusals with it. */
const SQL_FIELD = 'raw_where';

/** What a load would bring, asked anew whenever the form changes; only the latest answer counts. */
export class PreviewState {
  answer = $state.raw<LoadPreview | null>(null);
  failure = $state.raw<string | null>(null);
  waiting = $state(false);
  /** The field of the form that the service blames for the failure. */
  #blamed = $state.raw<string | undefined>();
  /** What is wrong with the condition typed as SQL. The page shows it at its field. */
  readonly sqlFault = $derived(
    this.#blamed === SQL_FIELD ? (this.failure?.replace(`${SQL_FIELD}: `, '') ?? null) : null,
  );
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;

  constructor(private readonly versionId: number) {}

  /** Asks after a short pause; null (an unfinished form) forgets the last answer. */
  ask(request: LoadPreviewRequest | null): void {
    this.stop();
    this.failure = null;
    if (request === null) this.answer = null;
    else {
      this.waiting = true;
      this.#timer = setTimeout(() => void this.#run(request), PAUSE_MS);
    }
  }

  /** Forgets what is under way. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.waiting = false;
  }

  async #run(request: LoadPreviewRequest): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    try {
      this.answer = await previewLoad(this.versionId, request, { signal: running.signal });
    } catch (error) {
      if (running.signal.aborted) return;
      this.answer = null;
      this.failure = messageOf(error);
      this.#blamed = error instanceof ApiError ? error.field : undefined;
    }
    if (!running.signal.aborted) this.waiting = false;
  }
}
