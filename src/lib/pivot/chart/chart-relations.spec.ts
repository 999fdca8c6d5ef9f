import { describe, expect, it } from 'vitest';
import type { ShowAs } from '../../contract/stored-layout';
import { EXACT } from '../../contract/decimals';
import { price } from '../values/ratios';
import type { Sums } from './chart';
import { type ChartPlaces, numbersAs } from './chart-relations';

const only = (sums: readonly Sums[]) => [sums.map(([sum = null]) => sum)];
/** Two series at the months 1 and 2 of 2027 and 1 of 2028. */
const SUMS = [
  [[1], [2], [3]],
  [[3], [null], [5]],
];
const places = (layout: ChartPlaces['layout']): ChartPlaces => ({
  ...{ layout, axis: ['Year', 'Month'], series: 'Region', isFolded: () => false },
  paths: [
    [2027, 1],
    [2027, 2],
    [2028, 1],
  ],
  decimals: [EXACT],
});
const numbers = (way: ShowAs, layout: ChartPlaces['layout']) =>
  numbersAs(way, SUMS, places(layout), only).map(([side]) => side);

describe('regions in rows, years and months across', () => {
  const layout = { group_by: ['Region'], split_by: ['Year', 'Month'] };

  it.each<[ShowAs, (number | null)[][]]>([
    [
      'share_of_total',
      [
        [1 / 14, 2 / 14, 3 / 14],
        [3 / 14, null, 5 / 14],
      ],
    ],
    [
      'share_of_row',
      [
        [1 / 4, 1, 3 / 8],
        [3 / 4, null, 5 / 8],
      ],
    ],
    [
      'share_of_column',
      [
        [1 / 3, 2 / 3, 1],
        [1, null, 1],
      ],
    ],
    [
      'running_total',
      [
        [1, 3, 3],
        [3, 3, 5],
      ],
    ],
    [
      'rank',
      [
        [2, 1, 2],
        [1, null, 1],
      ],
    ],
  ])('show the %s', (way, wanted) => {
    expect(numbers(way, layout)).toEqual(wanted);
  });
});

it('groups in rows are parts of the group around them, and their own column', () => {
  const layout = { group_by: ['Region', 'Year', 'Month'] };
  expect(numbers('share_of_row', layout)).toEqual([
    [1 / 3, 2 / 3, 1],
    [1, null, 1],
  ]);
  expect(numbers('share_of_column', layout)).toEqual([
    [1, 1, 1],
    [1, null, 1],
  ]);
  expect(numbers('running_total', layout)).toEqual(SUMS.map((each) => each.map(([sum]) => sum)));
});

it('running totals begin with the rows without a time, which the axis has last', () => {
  const where = {
    layout: { group_by: ['A'], split_by: ['Year', 'Month'] },
    axis: ['Year', 'Month'],
    series: null,
    isFolded: () => false,
    decimals: [EXACT],
    paths: [
      [2027, 1],
      [2027, 2],
      [2027, null],
      [2028, 1],
      [null, null],
    ],
  };
  const sums = [[[1], [2], [10], [3], [5]]];
  expect(numbersAs('running_total', sums, where, only)).toEqual([[[11, 13, 10, 3, 5]]]);
});

it('a ratio is added up by its parts', () => {
  const parts = [
    [
      [10, 1],
      [20, 4],
    ],
  ];
  const paint = (sums: readonly Sums[]) => [
    sums.map(([value = null, units = null]) => price(value, units)),
  ];
  const where = {
    layout: { group_by: ['A'], split_by: ['M'] },
    axis: ['M'],
    series: null,
    isFolded: () => false,
    paths: [[1], [2]],
    decimals: [EXACT],
  };
  expect(numbersAs('running_total', parts, where, paint)).toEqual([[[10, 6]]]);
  expect(numbersAs('share_of_column', parts, where, paint)).toEqual([[[10 / 6, 5 / 6]]]);
});

it('has no shares of a whole that rounds to zero with the decimals of the measure', () => {
  const cancelling = [
    [[5], [1]],
    [[-5 + 2e-8], [3]],
  ];
  const where = { ...places({ group_by: ['Region'], split_by: ['Year'] }), axis: ['Year'] };
  const cents = { ...where, paths: [[2027], [2028]], decimals: [{ least: 2, most: 2 }] };
  const shares = numbersAs('share_of_row', cancelling, cents, only).map(([side]) => side);
  expect(shares).toEqual([
    [null, 1 / 4],
    [null, 3 / 4],
  ]);
});
