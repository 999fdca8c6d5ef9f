/** The planner's choice of how amounts are spread. */
import { keep, kept } from '../../client/storage';
import type { ScaleEdit } from '../../contract/operations';
import { shapeText, type ShapeChoice } from './shape';

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

/**
 * Returns how amounts are spread: "Amounts are spread equally."; null for in proportion.
 *
 * @param shape the chosen shape; null if amounts are spread without one
 */
export function spreadNote(shape: ShapeChoice | null): string | null {
  const overRows = spread.choice === 'equal' ? 'equally' : null;
  const how = shape ? shapeText(shape) : overRows;
  return how && `Amounts are spread ${how}.`;
}
