/** The planner's choice of how amounts are spread. */
import { keep, kept } from '../../client/storage';
import type { ScaleEdit } from '../../contract/operations';

export type Spread = Extract<ScaleEdit['spread'], string>;

const KEY = 'pf.spread';

/** How amounts are spread over the leaves of a slice: the planner's choice, stored in the browser. */
class SpreadChoice {
  private chosen = $state<Spread>(kept(KEY) === 'equal' ? 'equal' : 'proportional');

  get choice(): Spread {
    return this.chosen;
  }

  set choice(spread: Spread) {
    this.chosen = spread;
    keep(KEY, spread === 'proportional' ? null : spread);
  }
}

export const spread = new SpreadChoice();
