import { expect, it } from 'vitest';
import type { CellValue } from '../../values/engine-types';
import { othersValue } from '../../values/others';
import { Reach } from '../cells/reach';
import { CommentTexts } from './comment-texts';

it('marks a row “Others” by the groups that it adds up at each drawing', () => {
  let members: readonly CellValue[] = ['A', 'B'];
  const cells = {
    ...{ group_by: ['item'], split_by: [], filter: [], schema: { item: 'string' as const } },
    isExpression: () => false,
    membersOf: () => members,
  };
  const reach = new Reach({ item: ['A', 'B'] }, cells, new Map());
  const texts = new CommentTexts([{ reach, text: 'Checked' }]);
  const others = { rowPath: [othersValue(2)], columnPath: null, measure: null };
  expect(texts.on(others)).toBe('Checked');
  members = ['A', 'C'];
  expect(texts.on(others)).toBeNull();
});
