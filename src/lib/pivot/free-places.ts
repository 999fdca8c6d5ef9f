import type { Table } from './engine-types';

/** So many places are looked at, one after the other, in the time that loading one value anew takes. */
const PLACES_PER_VALUE = 600;
/** So many are looked at in half a second. */
const WORTH_IT = 4e8;

/**
 * The places in the engine's table that rows have left. The engine gives them to rows that come, and looks
 * for each from the start: 300,000 rows that come after as many have gone take two minutes, and a second
 * otherwise. If many rows come, all rows are loaded anew before, which leaves no such place
 * (docs/decisions/0031-places-that-rows-leave.md).
 */
export class FreePlaces {
  private count = 0;

  /** Is told how many rows came; a negative number went. */
  changed(rows: number): void {
    this.count = Math.max(0, this.count - rows);
  }

  /**
   * Loads all rows of a table anew if that takes less time than to find places for new ones. Views on the
   * table stay, but have all their rows closed.
   *
   * @param rows how many will come
   * @returns whether it did
   */
  async makeFor(rows: number, table: Table): Promise<boolean> {
    const looks = rows * this.count;
    if (looks < WORTH_IT) return false;
    const columns = Object.keys(await table.schema()).length;
    if (looks < PLACES_PER_VALUE * columns * (await table.size())) return false;
    const view = await table.view();
    let all: ArrayBuffer;
    try {
      all = await view.to_arrow({ compression: null });
    } finally {
      await view.delete();
    }
    await table.replace(all);
    this.count = 0;
    return true;
  }
}
