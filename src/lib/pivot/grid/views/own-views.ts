/** Views that readers of the pivot open for themselves. */
import { parseRows, type ReadRows } from '../../values/columns-json';
import type { View, ViewWindow } from '../../values/engine-types';
import { Answers } from '../../waiting';

/** Reads the rows of a view, or of a window of it. */
export async function readRows(view: View, window?: ViewWindow): Promise<ReadRows> {
  return parseRows(await view.to_columns_string(window));
}

/** Views that a reader opens for itself, one per key. A view is deleted only after its pending reads. */
export class OwnViews {
  private readonly opened = new Answers<View>();
  private readonly reading = new Set<Promise<unknown>>();

  /** Returns the view with this key. @param make creates the view if it is not open */
  open(key: string, make: () => Promise<View>): Promise<View> {
    return this.opened.get(key, make);
  }

  /** Reads all rows of a view. */
  async read(view: View): Promise<ReadRows> {
    const read = readRows(view);
    this.reading.add(read);
    try {
      return await read;
    } finally {
      this.reading.delete(read);
    }
  }

  /** Deletes the views, each after its pending reads. */
  async dispose(): Promise<void> {
    for (const opening of this.opened.forget()) {
      const view = await opening.catch(() => null);
      await Promise.allSettled(this.reading);
      await view?.delete();
    }
  }
}
