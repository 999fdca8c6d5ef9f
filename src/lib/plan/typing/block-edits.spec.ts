import { describe, expect, it } from 'vitest';
import { readAmount } from '../../components/number-text';
import type { MarkedCell } from '../../pivot/slice/cell';
import { isUnchanged, placeFilled, placePasted, problemsOf, problemText } from './block-edits';

const cell = (x: number, y: number, value: number | null = 1, measure = 'Sales'): MarkedCell => ({
  rowPath: [String(y)],
  columnPath: [String(x)],
  measure,
  value,
  aggregate: 'sum',
  at: { x, y },
});
const [a, b, c, d] = [cell(1, 5, 10), cell(2, 5, 20), cell(1, 6, 30), cell(2, 6, null)];
const read = (text: string) => readAmount(text, 'total', { group: ',', decimal: '.' });
const amounts = (placed: ReturnType<typeof placeFilled>) =>
  'asked' in placed
    ? placed.asked.map(({ cell: { at }, edit }) => [at.x, at.y, edit?.amount])
    : null;
const pasted = (rows: readonly (readonly number[])[]) =>
  rows.map((row) => row.map((value) => ({ text: String(value), value })));
const landed = (placed: ReturnType<typeof placePasted>) =>
  'landed' in placed
    ? placed.landed.map(({ cell: { at }, pasted: { value } }) => [at.x, at.y, value])
    : null;

describe('placePasted', () => {
  it('puts a block into one of the same size, marked in any order', () => {
    const placed = placePasted(
      pasted([
        [1, 2],
        [3, 1204.5],
      ]),
      [d, b, c, a],
    );
    expect(landed(placed)).toEqual([
      [1, 5, 1],
      [2, 5, 2],
      [1, 6, 3],
      [2, 6, 1204.5],
    ]);
  });

  it('puts a single number into all marked cells, also if they form no block', () => {
    expect(landed(placePasted(pasted([[7]]), [a, d]))).toEqual([
      [1, 5, 7],
      [2, 6, 7],
    ]);
  });

  it.each([
    ['another size', [[1, 2, 3]], [a, b], /1 row × 3 columns, and 1 row × 2 columns/],
    ['no block', [[1, 2]], [a, d], /Select a block of this size/],
    ['nothing', [], [a], /has no text/],
  ])('refuses %s', (_, rows, marked, reason) => {
    expect(placePasted(pasted(rows), marked)).toEqual({ refusal: expect.stringMatching(reason) });
  });
});

describe('placeFilled', () => {
  it('fills the first column to the right, and the first row down', () => {
    expect(amounts(placeFilled([a, b, c, d], 'right', String))).toEqual([
      [2, 5, 10],
      [2, 6, 30],
    ]);
    expect(amounts(placeFilled([a, b, c, d], 'down', String))).toEqual([
      [1, 6, 10],
      [2, 6, 20],
    ]);
  });

  it('fills each measure from its own first column', () => {
    const row = [cell(1, 5, 10), cell(2, 5, 3, 'Units'), cell(3, 5, 20), cell(4, 5, 4, 'Units')];
    expect(amounts(placeFilled(row, 'right', String))).toEqual([
      [3, 5, 10],
      [4, 5, 3],
    ]);
  });

  it('repeats several numbers in turn, on both sides of them', () => {
    const column = [1, 2, 3, 4, 5, 6].map((y) => cell(1, y, 10 * y));
    const isFrom = ({ at: { y } }: MarkedCell) => y === 3 || y === 4;
    expect(amounts(placeFilled(column, 'down', String, isFrom))).toEqual([
      [1, 1, 30],
      [1, 2, 40],
      [1, 5, 30],
      [1, 6, 40],
    ]);
  });

  it('leaves measures alone that have no number to repeat', () => {
    const row = [cell(1, 5, 10), cell(2, 5, 3, 'Units'), cell(3, 5, 20), cell(4, 5, 4, 'Units')];
    expect(amounts(placeFilled(row, 'right', String, ({ at }) => at.x === 1))).toEqual([
      [3, 5, 10],
    ]);
  });

  it.each([
    ['a single column', [a, c], 'right', /two columns/],
    ['a single row', [a, b], 'down', /two rows/],
    ['gaps', [a, d], 'down', /without gaps/],
  ] as const)('refuses %s', (_, marked, direction, reason) => {
    expect(placeFilled(marked, direction, String)).toEqual({
      refusal: expect.stringMatching(reason),
    });
  });
});

describe('isUnchanged', () => {
  it.each([
    ['the number that is there', 0.3, '0.30000000000000004', true],
    ['another one', 10, '10.01', false],
    ['a blank on an empty cell', null, '', true],
    ['a 0 on an empty cell', null, '0', true],
    ['a blank on a number', 10, '', false],
    ['a percentage of 0', 10, '0%', true],
    ['no number', 10, 'ten', false],
  ])('recognizes %s', (_, value, text, unchanged) => {
    expect(isUnchanged({ cell: cell(1, 1, value), edit: read(text), text })).toBe(unchanged);
  });
});

it('names the cells of each reason, and the number of further cells', () => {
  const locked = new Set(['b', 'c', 'd', 'e']);
  const problems = problemsOf(
    ['a', 'b', 'c', 'd', 'e', 'f'],
    (name) => (locked.has(name) ? 'It is locked.' : name === 'f' ? 'It is empty.' : null),
    (name) => name.toUpperCase(),
  );
  expect(problemText(problems)).toBe(
    'B; C; D and 1 more: It is locked. F: It is empty. Nothing was changed.',
  );
});
