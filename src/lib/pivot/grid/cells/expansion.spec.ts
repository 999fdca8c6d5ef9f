import { describe, expect, it } from 'vitest';
import { Expansion } from './expansion';

const COLUMNS = ['Region', 'Category'];

function tree(depth: number | null, columns = COLUMNS): Expansion {
  const expansion = new Expansion();
  expansion.setDepth(depth);
  expansion.follow(columns);
  return expansion;
}

describe('groups that were opened and closed individually', () => {
  it('are returned with their columns and depth', () => {
    const expansion = tree(0);
    expect(expansion.toggled).toBeNull();
    expansion.open(['East']);
    expansion.close([null]);
    expect(expansion.toggled).toEqual({
      ...{ columns: COLUMNS, depth: 0 },
      ...{ opened: [['East']], closed: [[null]] },
    });
  });

  it('are restored if the columns and the depth are the same', () => {
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

describe('the number of levels that a view needs', () => {
  const three = ['Region', 'Category', 'Segment'];
  it.each<[depth: number | null, opened: string[][], levels: number, ofTwo: number]>([
    [null, [], 3, 2],
    [0, [], 1, 1],
    [1, [], 2, 2],
    [7, [], 3, 2],
    [0, [['East']], 2, 1],
    [0, [['East'], ['East', 'Furniture']], 3, 1],
    [1, [['East', 'Furniture', 'Consumer']], 2, 2],
    [0, [['East', 'Furniture']], 1, 1],
  ])('follows from the depth %j and the opened rows %j', (depth, opened, levels, ofTwo) => {
    const expansion = tree(depth, three);
    for (const path of opened) expansion.open(path);
    expect(expansion.levelsOf(three)).toBe(levels);
    // Groups of other columns that were opened do not count.
    expect(expansion.levelsOf(['Segment', 'Region'])).toBe(ofTwo);
    expect(expansion.levelsOf([])).toBe(0);
  });
});
