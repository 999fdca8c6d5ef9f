import { expect, it } from 'vitest';
import type { Comment } from '../../contract/comments';
import type { Slice } from '../../contract/slices';
import type { SeenRecord } from '../version/own-part';
import { marksOf, threadsOf } from './threads';

const comment = (id: number, slice: Slice, text: string, parent?: number): SeenRecord<Comment> => ({
  ...{
    id,
    version_id: 1,
    slice,
    seen: slice,
    text,
    created_by: 'ann',
    created_at: '2026-11-21T22:44:03.100Z',
  },
  ...(parent !== undefined && { parent }),
});

const WEST = { Region: 'West' };

it('gathers replies below their comment, in order', () => {
  const comments = [
    comment(1, WEST, 'a'),
    comment(2, {}, 'b'),
    comment(3, WEST, 'c', 1),
    comment(4, {}, 'd', 2),
    comment(5, WEST, 'e', 1),
  ];
  const ids = threadsOf(comments).map((thread) => [
    thread.comment.id,
    ...thread.replies.map((r) => r.id),
  ]);
  expect(ids).toEqual([
    [1, 3, 5],
    [2, 4],
  ]);
});

it('marks each slice once, with the newest comment of its first thread', () => {
  const long = 'x'.repeat(121);
  const threads = threadsOf([
    comment(1, WEST, 'a'),
    comment(2, WEST, 'b'),
    comment(3, WEST, 'c', 1),
    comment(4, {}, long),
  ]);
  expect(marksOf(threads)).toEqual([
    { slice: WEST, text: 'ann: c (and 1 more)' },
    { slice: {}, text: `ann: ${'x'.repeat(120)}…` },
  ]);
});
