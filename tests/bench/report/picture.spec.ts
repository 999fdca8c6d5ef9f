import { expect, it } from 'vitest';
import { noFigures } from './figures';
import { picture } from './picture';

const NOW = '2026-11-23T01:02:03.000Z';

it('draws a line for each way, with a point for each size', () => {
  const svg = picture({
    ...noFigures(NOW),
    turns: {
      a: { rows: 10_000, ways: { cold: [20, 10, 30], kept: [3] } },
      b: { rows: 1_000_000, ways: { cold: [2000], kept: [100] } },
      c: { rows: 7, entries: 1, ways: { cold: [5] } },
    },
  });
  expect(svg?.match(/<path class="line/g)).toHaveLength(3);
  expect(svg?.match(/<circle/g)).toHaveLength(5);
  expect(svg).toContain('1,000,000');
  expect(svg).toContain('prefers-color-scheme: dark');
  expect(svg).not.toContain('NaN');
});

it('draws nothing without measurements', () => {
  expect(picture(undefined)).toBeUndefined();
  expect(picture(noFigures(NOW))).toBeUndefined();
});
