import { count, time } from '../document';
import { median } from '../measure';
import type { PartFigures, Turns } from './figures';

/** A line through measured points. */
interface Line {
  words: string;
  points: { x: number; ms: number }[];
}

/** A chart with logarithmic axes: time proportional to rows is a line at 45 degrees. */
interface Chart {
  title: string;
  lines: Line[];
}

const WIDTH = 480;
const HEIGHT = 340;
const PLOT = { left: 58, right: 350, top: 44, bottom: 292 };
/** Minimum distance between the labels at the ends of lines. */
const APART = 14;

const LIGHT = ['#2563c9', '#b4530a', '#0f7b5f', '#7c3aed'];
const DARK = ['#7fb0ff', '#f2a65a', '#5fd3b0', '#c4a3ff'];

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 13px; }
  .axis { fill: #57606a; font-size: 11px; }
  .rule { stroke: #d0d7de; stroke-width: 1; }
  .line { fill: none; stroke-width: 2; }
${LIGHT.map((c, at) => `  .c${at} { stroke: ${c}; } .f${at} { fill: ${c}; stroke: none; }`).join('\n')}
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .axis { fill: #9da7b3; } .rule { stroke: #3d444d; }
${DARK.map((c, at) => `    .c${at} { stroke: ${c}; } .f${at} { fill: ${c}; }`).join('\n')}
  }`;

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** Returns the powers of ten around all values, for the ticks. */
function decades(values: readonly number[]): number[] {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at));
}

/** Returns a function that converts values between these ticks to positions. */
function scaleOf(ticks: readonly number[], start: number, end: number): (value: number) => number {
  const [from, to] = [Math.log10(ticks[0]!), Math.log10(ticks.at(-1)!)];
  return (value) => start + ((Math.log10(value) - from) / (to - from)) * (end - start);
}

/** Moves close positions apart, from the top. */
function spread(places: readonly number[]): number[] {
  const order = places.map((_, at) => at).sort((a, b) => places[a]! - places[b]!);
  const moved = [...places];
  order.forEach((at, rank) => {
    const above = rank > 0 ? moved[order[rank - 1]!]! + APART : -Infinity;
    moved[at] = Math.max(places[at]!, above);
  });
  return moved;
}

const round = (value: number): string => value.toFixed(1);

function chart({ title, lines }: Chart, offset: number): string {
  const points = lines.flatMap((line) => line.points);
  const xTicks = decades(points.map(({ x }) => x));
  const yTicks = decades(points.map(({ ms }) => Math.max(ms, 1)));
  const x = scaleOf(xTicks, PLOT.left, PLOT.right);
  const y = scaleOf(yTicks, PLOT.bottom, PLOT.top);
  const last = lines.map((line) => line.points.at(-1)!);
  const labels = spread(last.map(({ ms }) => y(Math.max(ms, 1)) + 4));
  return [
    `<g transform="translate(${offset} 0)">`,
    `<text class="title" x="${PLOT.left}" y="22">${escaped(title)}</text>`,
    ...yTicks.map(
      (ms) =>
        `<path class="rule" d="M${PLOT.left} ${round(y(ms))}H${PLOT.right}"/>` +
        `<text class="axis" text-anchor="end" x="${PLOT.left - 6}" y="${round(y(ms) + 4)}">${time(ms)}</text>`,
    ),
    ...xTicks.map(
      (value) =>
        `<text class="axis" text-anchor="middle" x="${round(x(value))}" y="${PLOT.bottom + 20}">${count(value)}</text>`,
    ),
    ...lines.map(({ words, points: of }, at) => {
      const path = of.map((p) => `${round(x(p.x))} ${round(y(Math.max(p.ms, 1)))}`);
      const dots = path.map((place) => {
        const [cx, cy] = place.split(' ');
        return `<circle class="f${at % DARK.length}" cx="${cx}" cy="${cy}" r="3"/>`;
      });
      return [
        `<path class="line c${at % DARK.length}" d="M${path.join('L')}"/>`,
        ...dots,
        `<text class="f${at % DARK.length}" x="${round(x(last[at]!.x) + 10)}" y="${round(labels[at]!)}">${escaped(words)}</text>`,
      ].join('');
    }),
    '</g>',
  ].join('\n');
}

/** Returns the lines of one chart: the medians of each way by rows or entries. */
function linesOf(turns: readonly Turns[], of: (each: Turns) => number): Line[] {
  const ways = [...new Set(turns.flatMap((each) => Object.keys(each.ways)))];
  return ways.map((words) => ({
    words,
    points: turns
      .filter((each) => each.ways[words])
      .map((each) => ({ x: of(each), ms: median(each.ways[words] ?? []) })),
  }));
}

/**
 * Draws growth as SVG for light and dark pages: by the rows of one entry, and by the number of entries.
 *
 * @returns undefined without measurements
 */
export function picture(growth: PartFigures | undefined): string | undefined {
  const all = Object.values(growth?.turns ?? {});
  const charts: Chart[] = [
    {
      title: 'Rows of one entry',
      lines: linesOf(
        all.filter(({ entries }) => entries === undefined),
        ({ rows }) => rows,
      ),
    },
    {
      title: 'Log entries',
      lines: linesOf(
        all.filter(({ entries }) => entries !== undefined),
        ({ entries }) => entries!,
      ),
    },
  ].filter(({ lines }) => lines.length > 0);
  if (charts.length === 0) return undefined;
  const width = WIDTH * charts.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" role="img" aria-label="How the time of a read grows with rows and with log entries">`,
    `<style>${STYLE}\n</style>`,
    ...charts.map((each, at) => chart(each, at * WIDTH)),
    '</svg>\n',
  ].join('\n');
}
