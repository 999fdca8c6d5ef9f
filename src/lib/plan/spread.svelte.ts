import { keep, kept } from '../client/storage';
import type { ScaleEdit } from '../contract/operations';

export type Spread = NonNullable<ScaleEdit['spread']>;

const KEY = 'pf.spread';

/** How amounts are spread over the leaves of a slice: the planner's choice, kept in the browser. */
class SpreadChoice {
  #choice = $state<Spread>(kept(KEY) === 'equal' ? 'equal' : 'proportional');

  get choice(): Spread {
    return this.#choice;
  }

  set choice(spread: Spread) {
    this.#choice = spread;
    keep(KEY, spread === 'proportional' ? null : spread);
  }
}

export const spread = new SpreadChoice();
