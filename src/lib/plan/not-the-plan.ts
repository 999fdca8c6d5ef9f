import type { Origin } from '../pivot/origins';

/** Why nothing can be changed through a cell that adds up only a part of the plan, or no plan at all. */
export const NOT_THE_PLAN: Readonly<Record<Exclude<Origin, 'price'>, string>> = {
  baseline: 'This cell shows only what was loaded. To change the plan, select the plan’s cell.',
  changes: 'This cell shows only what was changed. To change the plan, select the plan’s cell.',
  reference: 'The reference is there to compare with. To change the plan, select the plan’s cell.',
  difference: 'This cell compares plan and reference. To change the plan, select the plan’s cell.',
  percent: 'This cell compares plan and reference. To change the plan, select the plan’s cell.',
  other: 'This cell shows another version. To change the plan, select the plan’s cell.',
  otherDifference: 'This cell compares two versions. To change the plan, select the plan’s cell.',
  otherPercent: 'This cell compares two versions. To change the plan, select the plan’s cell.',
};
