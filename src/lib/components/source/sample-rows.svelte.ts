/** Example values of the columns of a source. */
import { distinct } from '../distinct';
import { messageOf } from '$lib/client/message-of';
import type { Row } from '$lib/contract/primitives';
import type { TablePreview } from '$lib/contract/sources';

/** Number of example values shown for a column. */
const SHOWN = 4;

/** The first rows of a source's table, loaded once, as examples of its columns. */
export class SampleRows {
  private rows = $state.raw<readonly Row[]>([]);
  failure = $state<string | null>(null);
  /** Resolves when the rows have loaded or failed to load. */
  readonly settled: Promise<void>;

  /** @param load null if the rows of the table are not for the user */
  constructor(load: (() => Promise<TablePreview>) | null) {
    this.settled = (load ? load() : Promise.resolve({ rows: [] })).then(
      (preview) => {
        this.rows = preview.rows;
      },
      (error: unknown) => {
        this.failure = messageOf(error);
      },
    );
  }

  /** Returns every loaded value of a column, nulls included. */
  values(cname: string): readonly unknown[] {
    return this.rows.map((row) => row[cname] ?? null);
  }

  /** Returns the first distinct values of a column as text, without empty ones. */
  examples(cname: string): readonly string[] {
    const filled = this.values(cname).filter((value) => value !== null && value !== '');
    return distinct(filled.map(String)).slice(0, SHOWN);
  }
}
