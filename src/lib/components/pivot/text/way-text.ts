/** Texts about the measure that changes for a typed result of a formula. */
import type { PlannedVersion } from '$lib/plan/version/planned-version.svelte';
import type { Way } from '$lib/plan/typing/typed-amounts';
import { beforeAfterText } from './entry-text';

/** Returns a measure before and after: "1,000.00 → 1,076.92". */
export const wayText = ({ column, draft }: Way, planned: PlannedVersion): string =>
  draft ? beforeAfterText(draft.now, draft.total, planned.decimalsIn(column)) : 'no solution';
