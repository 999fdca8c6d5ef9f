import { expect, it } from 'vitest';
import { exclusionText } from './live.svelte';

it.each([
  [['reference'], ['reference', 'clone'], 'bob', 'bob changed', 'reference and clone', 'reference'],
  [['reference'], [], null, 'Someone changed', 'no origin', 'reference'],
  [[], ['scale'], 'ann', 'ann changed', 'scale', 'no origin'],
])('says who changed the excluded origins %j to %j', (before, after, person, who, now, was) => {
  expect(exclusionText(before, after, person)).toBe(
    `${who} which rows count as the plan: operations now skip ${now} (before: ${was}). Reload to see the current plan.`,
  );
});
