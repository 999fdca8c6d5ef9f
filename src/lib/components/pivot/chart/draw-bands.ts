/** Draws the range of a forecast behind the lines of a chart. */
import type { Chart } from 'chart.js';
import type { ForecastRange } from '$lib/plan/amounts/forecast-range';

/** The range of a forecast along the axis; null where it is not known. */
export interface Band {
  ranges: readonly (ForecastRange | null)[];
  /** Index of the series of its line. */
  series: number;
}

/** Opacity of the areas of 80 and 95 %, which lie on each other. */
const OPACITY = 0.14;
/** Half the width of the area around a single place, in pixels. */
const HALF = 6;

/** Returns the colour of a patch that stands for a band. */
export const paleOf = (color: string): string =>
  color.replace(/^rgb\((.*)\)$/, `rgba($1, ${2 * OPACITY})`);

/** Returns the smallest and the largest amount of the bands, which the value axis must include; nothing without bands. */
export function endsOf(bands: readonly Band[]): { suggestedMin?: number; suggestedMax?: number } {
  const limits = bands.flatMap(({ ranges }) => ranges.flatMap((range) => range?.band95 ?? []));
  if (limits.length === 0) return {};
  return { suggestedMin: Math.min(...limits), suggestedMax: Math.max(...limits) };
}

/** Draws bands inside of a chart. @param colorOf returns the colour of a series */
export function drawBands(
  { ctx, scales, chartArea }: Pick<Chart, 'ctx' | 'scales' | 'chartArea'>,
  bands: readonly Band[],
  colorOf: (series: number) => string,
): void {
  const { x, y } = scales;
  if (!x || !y || bands.length === 0) return;
  const { left, top, width, height } = chartArea;
  const at = (place: number, amount: number): Point => [
    x.getPixelForValue(place),
    y.getPixelForValue(amount),
  ];
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.globalAlpha = OPACITY;
  for (const { ranges, series } of bands) {
    ctx.fillStyle = colorOf(series);
    for (const of of ['band95', 'band80'] as const) {
      for (const run of runsOf(ranges)) {
        const upper = run.map(({ place, range }) => at(place, range[of][1]));
        const lower = run.map(({ place, range }) => at(place, range[of][0]));
        ctx.beginPath();
        for (const [left, top] of [...widened(upper), ...widened(lower).reverse()])
          ctx.lineTo(left, top);
        ctx.fill();
      }
    }
  }
  ctx.restore();
}

type Point = [x: number, y: number];

/** Gives a single point a width. */
const widened = (points: Point[]): Point[] => {
  const [first, second] = points;
  if (!first || second) return points;
  const [x, y] = first;
  return [
    [x - HALF, y],
    [x + HALF, y],
  ];
};

interface RangedPlace {
  place: number;
  range: ForecastRange;
}

/** Returns the ranges of places that follow each other. */
function runsOf(ranges: readonly (ForecastRange | null)[]): RangedPlace[][] {
  const runs: RangedPlace[][] = [];
  for (const [place, range] of ranges.entries()) {
    if (!range) continue;
    const last = runs.at(-1);
    if (last?.at(-1)?.place === place - 1) last.push({ place, range });
    else runs.push([{ place, range }]);
  }
  return runs;
}
