/** Which measure changes when the result of a formula is typed. */
import { SvelteMap } from 'svelte/reactivity';
import type { PivotFormula } from '../../pivot/rows/formula-columns';
import { isFormula, type Shows } from '../selection/cell-reader';

/** The measures that the planner chose to change, by formula; they stay chosen while the page is open. */
export class FormulaChoices {
  private readonly chosen = new SvelteMap<string, string>();

  /** Returns the column of the measure that was chosen last; null if none was. */
  of({ name }: Pick<PivotFormula, 'name'>): string | null {
    return this.chosen.get(name) ?? null;
  }

  /** Chooses a measure to change for what a cell shows; has no effect unless it shows a formula. */
  chooseFor(shows: Shows | null, column: string): void {
    if (isFormula(shows)) this.chosen.set(shows.name, column);
  }
}
