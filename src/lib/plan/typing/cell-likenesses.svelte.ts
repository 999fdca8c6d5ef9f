/** The rows that the empty cell being typed into can be made like. */
import type { ReadCell } from '../../pivot/slice/cell';
import type { Likeness } from '../amounts/likeness';

/** The models of an empty cell, and the planner's choice among them. */
export class CellLikenesses {
  /** The models; null for a cell that has rows, or if that is not known yet. */
  list = $state.raw<readonly Likeness[] | null>(null);
  /** Index of the chosen model. */
  chosen = $state(0);
  private asked: Promise<readonly Likeness[] | null> = Promise.resolve(null);

  /** @param find returns the models of a cell; null for a cell that has rows */
  constructor(private readonly find: (cell: ReadCell) => Promise<readonly Likeness[] | null>) {}

  /** The chosen model; undefined if there is none. */
  get current(): Likeness | undefined {
    return this.list?.[this.chosen];
  }

  /** Asks for the models of another cell. A failure leaves it without models. */
  async ask(cell: Promise<ReadCell | null>): Promise<void> {
    this.list = null;
    this.chosen = 0;
    const asked = cell.then((found) => found && this.find(found)).catch(() => null);
    this.asked = asked;
    const found = await asked;
    if (asked === this.asked) this.list = found;
  }

  /** Chooses the next or the previous model. */
  turn(by: 1 | -1): void {
    const count = this.list?.length ?? 0;
    if (count > 0) this.chosen = (this.chosen + by + count) % count;
  }

  /** Returns the model chosen now, once the models are known; null if there is none. */
  choice(): Promise<Likeness | null> {
    const { chosen } = this;
    return this.asked.then((models) => models?.[chosen] ?? null);
  }
}
