import { describe, expect, it } from 'vitest';
import { blockOf, extendedTo, rectangleOf, sizeOf } from './block';

describe('blockOf', () => {
  it('is the same from each of its corners', () => {
    const block = { y0: 2, y1: 5, columns: { x0: 1, x1: 3 } };
    expect(blockOf({ x: 1, y: 2 }, { x: 3, y: 5 })).toEqual(block);
    expect(blockOf({ x: 3, y: 2 }, { x: 1, y: 5 })).toEqual(block);
    expect(blockOf({ x: 1, y: 5 }, { x: 3, y: 2 })).toEqual(block);
    expect(sizeOf(block)).toBe(12);
  });

  it('consists of headers if it starts in a header, and ends at the first column if it ends in a header', () => {
    const headers = blockOf({ x: null, y: 4 }, { x: 2, y: 1 });
    expect(headers).toEqual({ y0: 1, y1: 4, columns: null });
    expect(sizeOf(headers)).toBe(4);
    expect(blockOf({ x: 2, y: 1 }, { x: null, y: 1 })).toEqual({
      y0: 1,
      y1: 1,
      columns: { x0: 0, x1: 2 },
    });
  });
});

describe('rectangleOf', () => {
  const at = (x: number | null, y: number) => ({
    at: { x, y },
    measure: x === null ? null : 'Sales',
  });

  it('orders cells by position, not by the order in which they were marked', () => {
    const [a, b, c, d] = [at(1, 7), at(2, 7), at(1, 8), at(2, 8)];
    expect(rectangleOf([d, a, c, b])).toEqual([
      [a, b],
      [c, d],
    ]);
    expect(rectangleOf([a])).toEqual([[a]]);
  });

  it.each([
    ['none', []],
    ['a corner is missing', [at(1, 7), at(2, 7), at(1, 8)]],
    ['a row is missing', [at(1, 7), at(1, 9)]],
    ['a column is missing', [at(1, 7), at(3, 7)]],
    ['the rows begin elsewhere', [at(1, 7), at(2, 7), at(2, 8), at(3, 8)]],
    ['a header is among them', [at(null, 7), at(0, 7)]],
  ])('is null if %s', (_, cells) => {
    expect(rectangleOf(cells)).toBeNull();
  });
});

describe('extendedTo', () => {
  const block = { x0: 2, x1: 4, y0: 5, y1: 6 };

  it.each([
    ['below', { x: 3, y: 9 }, { ...block, y1: 9 }, 'down'],
    ['above', { x: 3, y: 1 }, { ...block, y0: 1 }, 'down'],
    ['to the right', { x: 7, y: 5 }, { ...block, x1: 7 }, 'right'],
    ['to the left', { x: 0, y: 5 }, { ...block, x0: 0 }, 'right'],
    ['to a header of a row', { x: null, y: 6 }, { ...block, x0: 0 }, 'right'],
    ['farther right than down', { x: 7, y: 8 }, { ...block, x1: 7 }, 'right'],
    ['as far right as down', { x: 6, y: 8 }, { ...block, y1: 8 }, 'down'],
  ])('reaches %s', (_, to, extended, direction) => {
    expect(extendedTo(block, to)).toEqual({ block: extended, direction });
  });

  it('is null inside the block', () => {
    expect(extendedTo(block, { x: 4, y: 5 })).toBeNull();
  });
});
