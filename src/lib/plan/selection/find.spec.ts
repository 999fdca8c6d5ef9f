import { expect, it } from 'vitest';
import type { FoundMembers } from '../../pivot/grid/reading/found-members';
import { Find } from './find.svelte';

it('shows no matches of a text that was replaced', async () => {
  const answers: ((found: FoundMembers) => void)[] = [];
  const membersWith = () => new Promise<FoundMembers>((answer) => answers.push(answer));
  const loading = { pivot: { grid: { membersWith } } } as never;
  const selection = { active: null, marked: [], markedByNow: async () => [] } as never;
  const none = { members: [], hasClosed: true };
  const find = new Find(loading, selection);

  const first = find.type('ta');
  await expect.poll(() => answers).toHaveLength(1);
  answers[0]?.(none);
  await first;
  expect(find.found).toEqual(none);

  const second = find.type('tables');
  expect(find.found).toBeNull();
  await expect.poll(() => answers).toHaveLength(2);
  answers[1]?.(none);
  await second;
  expect(find.found).toEqual(none);
});
