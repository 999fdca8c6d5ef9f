import { describe, expect, it } from 'vitest';
import { Expansion } from './expansion';

const COLUMNS = ['Region', 'Category'];

function tree(depth: number | null, columns = COLUMNS): Expansion {
  const expansion = new Expansion();
  expansion.setDepth(depth);
  expansion.follow(columns);
  return expansion;
}

describe('groups that were opened and closed one by one', () => {
  it('are told with the columns and the depth that they are of', () => {
    const expansion = tree(0);
    expect(expansion.toggled).toBeNull();
    expansion.open(['East']);
    expansion.close([null]);
    expect(expansion.toggled).toEqual({
      ...{ columns: COLUMNS, depth: 0 },
      ...{ opened: [['East']], closed: [[null]] },
    });
  });

  it('are recalled where the columns and the depth are the same', () => {
    const toggled = { columns: COLUMNS, depth: 0, opened: [['East']], closed: [[]] };
    const recalledIn = (depth: number | null, columns: string[]) => {
      const expansion = new Expansion();
      expansion.setDepth(depth);
      expansion.recall(toggled);
      expansion.follow(columns);
      return expansion.toggled;
    };
    expect(recalledIn(0, COLUMNS)).toEqual(toggled);
    expect(recalledIn(1, COLUMNS)).toBeNull();
    expect(recalledIn(null, COLUMNS)).toBeNull();
    expect(recalledIn(0, [...COLUMNS].reverse())).toBeNull();
  });
});
