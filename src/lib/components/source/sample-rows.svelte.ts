/** Example values of the columns of a source. */
import { distinct } from '../distinct';
import { messageOf } from '$lib/client/message-of';
import type { Row } from '$lib/contract/primitives';
import type { TablePreview } from '$lib/contract/sources';

/** How many examples of a column's values are shown. */
const SHOWN = 4;

/** The first rows of a source's table, loaded once: what its columns look like. */
export class SampleRows {
  #rows = $state.raw<readonly Row[]>([]);
  failure = $state<string | null>(null);
  /** Resolves as soon as the rows are here, or a failure says why they are not. */
  readonly settled: Promise<void>;

  constructor(load: () => Promise<TablePreview>) {
    this.settled = load().then(
      (preview) => {
        this.#rows = preview.rows;
      },
      (error: unknown) => {
        this.failure = messageOf(error);
      },
    );
  }

  /** Every loaded value of a column, nulls included. */
  values(cname: string): readonly unknown[] {
    return this.#rows.map((row) => row[cname] ?? null);
  }

  /** The column's first different values as text; empty ones left out. */
  examples(cname: string): readonly string[] {
    const filled = this.values(cname).filter((value) => value !== null && value !== '');
    return distinct(filled.map(String)).slice(0, SHOWN);
  }
}
