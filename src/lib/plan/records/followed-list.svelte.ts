/** A list of the version that the page reads again after events. */
import { Latest } from '../../client/latest.svelte';

/** A list of the version, as the service last returned it. */
export class FollowedList<Item> {
  readonly latest = new Latest<readonly Item[]>();
  /** The items that were read last; they stay if the next read fails. */
  all = $state.raw<readonly Item[]>([]);

  /** @param onChange is called when a read returns another list than before */
  constructor(
    private readonly list: (signal: AbortSignal) => Promise<readonly Item[]>,
    private readonly onChange: () => void = () => undefined,
  ) {}

  /** Reads the list again. Never throws: `latest.failure` says why it could not be read. */
  async read(): Promise<void> {
    this.latest.ask(async (signal) => {
      const items = await this.list(signal);
      if (!signal.aborted) this.take(items);
      return items;
    });
    await this.latest.settled();
  }

  /** Reads the list again. @throws if it could not be read */
  async follow(): Promise<void> {
    await this.read();
    if (this.latest.error !== null) throw this.latest.error;
  }

  private take(items: readonly Item[]): void {
    const before = this.all;
    if (JSON.stringify(items) === JSON.stringify(before)) return;
    this.all = items;
    this.onChange();
  }
}
