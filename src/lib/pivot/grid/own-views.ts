import { parseRows, type ReadRows } from '../values/columns-json';
import type { EngineView, ViewWindow } from '../values/engine-types';
import { Answers } from '../waiting';

/** The rows of a view, or of a part of it. */
export async function readRows(view: EngineView, window?: ViewWindow): Promise<ReadRows> {
  return parseRows(await view.to_columns_string(window));
}

/** Views that a reader opens for itself, one per key. A view that is being read cannot be deleted. */
export class OwnViews {
  private readonly opened = new Answers<EngineView>();
  private readonly reading = new Set<Promise<unknown>>();

  /** @param make called if the view with this key is not open */
  open(key: string, make: () => Promise<EngineView>): Promise<EngineView> {
    return this.opened.get(key, make);
  }

  /** All rows of a view. */
  async read(view: EngineView): Promise<ReadRows> {
    const read = readRows(view);
    this.reading.add(read);
    try {
      return await read;
    } finally {
      this.reading.delete(read);
    }
  }

  /** Deletes the views, each after the reads that use it have ended. */
  async dispose(): Promise<void> {
    for (const opening of this.opened.forget()) {
      const view = await opening.catch(() => null);
      await Promise.allSettled(this.reading);
      await view?.delete();
    }
  }
}
