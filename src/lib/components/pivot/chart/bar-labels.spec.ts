import { expect, it } from 'vitest';
import { barLabels, type BarBox } from './bar-labels';

/** Bars 40 pixels wide, one pixel high per unit above or below 200, stacked by side. */
const SERIES = [
  { values: [30, 10, null], color: '', side: 0 },
  { values: [20, -40, null], color: '', side: 0 },
  { values: [5, null, null], color: '', side: 1 },
];
const box = (value: number, from = 0): BarBox => ({
  ...{ x: 50, y: 200 - from - value },
  ...{ base: 200 - from, width: 40 },
});
const boxOf = (place: number, i: number) => {
  const from = place === 0 && i === 1 ? 30 : 0;
  return box(SERIES[i]?.values[place] ?? 0, from);
};
const PICTURE = {
  ...{ kind: 'Y Bar' as const, labels: ['Jan', 'Feb', 'Mar'], series: SERIES, stacked: true },
  valueText: (value: number) => value.toFixed(2),
  tickText: (value: number) => String(value),
};
const widthOf = (text: string) => 6 * text.length;

it('puts the sum of each stack at its end, and nothing where no bar is', () => {
  expect(barLabels(PICTURE, boxOf, widthOf)).toMatchObject([
    { text: '50.00', x: 50, y: 147, isBelow: false },
    { text: '5.00', y: 192 },
    // The sum is negative, so it stands below the bar that reaches lowest.
    { text: '-30.00', y: 243, isBelow: true },
  ]);
});

it('shows the value of each bar if bars are side by side', () => {
  const labels = barLabels({ ...PICTURE, stacked: false }, boxOf, widthOf);
  expect(labels.map(({ text }) => text)).toEqual(['30.00', '20.00', '5.00', '10.00', '-40.00']);
});

it('shortens all labels if one is too wide, and shows none if a short label is too wide', () => {
  const texts = (width: number) =>
    barLabels(PICTURE, boxOf, (text) => width * text.length).map(({ text }) => text);
  expect(texts(10)).toEqual(['50', '5', '-30']);
  expect(texts(20)).toEqual([]);
  expect(barLabels({ ...PICTURE, kind: 'Y Line' }, boxOf, widthOf)).toEqual([]);
});
