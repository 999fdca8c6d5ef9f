/** The reports of the actions to the user. */
import type { ActualsAnswer } from '../contract/actuals';
import type { RedoneTotals } from './changes/changes.svelte';
import type { Caution } from './amounts/caution';
import type { Drafts } from './amounts/scale-draft';
import type { Effect } from './amounts/tried-rows';
import type { Remedy } from './typing/remedy';

/** How the page reports the result of an action to the user. */
export interface Tell {
  /** Reports that something was done. @param undo reverses it @param show shows what filters hide of it */
  done(sentence: string, undo?: () => void, show?: () => void): void;
  /** Reports a fact, or the reason why nothing was done. */
  info(sentence: string): void;
  /** Reports that an action failed and changed nothing. @param remedy a button for the next step */
  failed(sentence: string, remedy?: Remedy): void;
  /** Returns a number with its noun: `plural(2, 'row')` is “2 rows”. */
  plural(count: number, noun: string, nouns?: string): string;
  /** Returns a sentence that says why an amount has to be confirmed. */
  cautionText(caution: Caution): string;
  /** Lists the amounts of the changed measures, such as “100 → 120 Sales”; an empty text if none changed. */
  changesText(changes: Drafts): string;
  /** Lists the amounts that a change adds or moves, such as “+20 Sales, 5 Units moved”; an empty text for none. */
  effectText(effect: Effect | undefined): string;
  /** Returns a sentence with the totals of closed months before and after. */
  closedText(closed: ActualsAnswer, isRestatement: boolean): string;
  /** Returns a sentence that compares the totals of a redo with those that were undone. */
  redoneText(totals: RedoneTotals): string;
}
