import type { Iter } from '$lib/contract/versions';

const NAMES: Record<Iter, string> = {
  baseline: 'Baseline',
  reference: 'Reference',
  scale: 'Scale',
  recode: 'Recode',
  clone: 'Clone',
};

/** Where rows come from, in the planner's words. */
export const iterName = (iter: Iter): string => NAMES[iter];
