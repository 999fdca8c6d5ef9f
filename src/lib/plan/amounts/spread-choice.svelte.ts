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

/** Returns how amounts are spread, unless in proportion: "Amounts are spread equally."; else null. @param shape its label */
export function spreadNote(shape: string | null): string | null {
  const how = shape ?? (spread.choice === 'equal' ? 'equally' : null);
  return how && `Amounts are spread ${how}.`;
}
