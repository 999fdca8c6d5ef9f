import { previewLoad } from '$lib/client/api';
import { messageOf } from '$lib/client/message-of';
import type { LoadPreview, LoadPreviewRequest } from '$lib/contract/loads';

/** So long the form has to be left alone before the rows behind it are counted. */
const PAUSE_MS = 350;

/** How the service begins a refusal of the condition that was typed as SQL. */
const SQL_FAULT = 'raw_where: ';

/** What a load would bring, asked anew whenever the form changes; only the latest answer counts. */
export class PreviewState {
  answer = $state.raw<LoadPreview | null>(null);
  failure = $state.raw<string | null>(null);
  waiting = $state(false);
  /** What is wrong with the condition typed as SQL; such a failure belongs to its field. */
  readonly sqlFault = $derived(
    this.failure?.startsWith(SQL_FAULT) ? this.failure.slice(SQL_FAULT.length) : null,
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
    }
    if (!running.signal.aborted) this.waiting = false;
  }
}
