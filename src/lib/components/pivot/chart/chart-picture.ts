/** Turns a chart into a picture with the colours and texts of the page. */
import type { ChartKind } from '$lib/pivot/chart/chart';
import type { Chart } from '$lib/pivot/chart/chart-reader';
import type { ForecastRange } from '$lib/plan/amounts/forecast-range';
import { formatShort } from '../../format';
import { formatNumber } from '../../number-text';
import type { Band } from './draw-bands';

/** The numbers of one series on one side, with its colour and pattern. */
export interface DrawnSeries {
  values: readonly (number | null)[];
  color: string;
  /** Index of its side, the plan or a version that it is compared with; each has its own pattern. */
  side: number;
}

/** A line of the legend. */
export interface LegendEntry {
  text: string;
  color: string;
  /** Index of the side whose line pattern is drawn; null for a filled patch of the colour. */
  side: number | null;
  /** Whether the patch is as pale as a band. */
  isBand?: boolean;
}

/** A chart as it is drawn, with its colours and texts. */
export interface Picture {
  kind: ChartKind;
  title: string;
  subtitle: string;
  labels: readonly string[];
  /** Whether the labels are dates. If there is no room for all, some of them suffice. */
  isTime: boolean;
  series: readonly DrawnSeries[];
  legend: readonly LegendEntry[];
  bands: readonly Band[];
  /** Whether series of one side are stacked. */
  stacked: boolean;
  /** Formats a number beside the axis, and on bars that are too narrow for {@link valueText}. */
  tickText(value: number): string;
  /** Formats a number as the grid does. */
  valueText(value: number): string;
  colors: Record<'surface' | 'text' | 'muted' | 'line' | 'zero', string>;
  font: string;
}

/** Returns the current colours of the theme; a canvas does not follow the style sheet by itself. */
export function themeColors(element: Element) {
  const style = getComputedStyle(element);
  const probe = document.createElement('span');
  // A colour in transition still reads as the previous one; for reduced motion a rule sets the transition.
  probe.style.setProperty('transition', 'none', 'important');
  element.append(probe);
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    series: Array.from({ length: 8 }, (_, i) => read(`--chart-${i + 1}`)),
    others: read('--data-source'),
    plan: read('--data-baseline'),
    reference: read('--data-reference'),
    surface: read('--surface'),
    text: read('--text'),
    muted: read('--text-muted'),
    line: read('--line'),
    zero: read('--line-control'),
  };
  probe.remove();
  return { ...colors, font: style.fontFamily };
}
export type ThemeColors = ReturnType<typeof themeColors>;

/** Texts of a chart that the layout does not contain. */
interface ChartWords {
  title: string;
  subtitle: string;
  /** The name of each side. */
  sides: readonly string[];
}

/** One line of numbers, with its name. */
interface NamedSeries extends DrawnSeries {
  name: string;
}

/**
 * Returns the series of each side as they are drawn: colours distinguish series, patterns distinguish sides.
 */
export function namedSeries(chart: Chart, words: ChartWords, colors: ThemeColors): NamedSeries[] {
  const isAlone = chart.lines.length === 1;
  return chart.lines.flatMap((line, i) =>
    line.values.map((values, side) => {
      const own = line.folded === null ? colors.series[i % colors.series.length] : colors.others;
      const parts = [line.label, chart.sides.length > 1 ? words.sides[side] : null];
      return {
        name: parts.filter((part) => part != null).join(', ') || words.title,
        values,
        side,
        color: (isAlone ? sideColor(chart, side, colors) : own) ?? colors.others,
      };
    }),
  );
}

/** Returns the colour of plan or reference, the same as everywhere else. */
function sideColor({ sides }: Chart, side: number, colors: ThemeColors): string | undefined {
  const origin = sides[side]?.origin ?? 'plan';
  if (origin === 'plan') return colors.plan;
  return origin === 'reference' ? colors.reference : colors.series[side + 1];
}

/** The name of the band around a forecast, if there is one, and if each of several lines has one. */
const RANGE = '80 % and 95 % range';
const RANGE_OF_ONE = 'Range: point at a line';

/**
 * Returns a chart as it is drawn.
 *
 * @param ranges the range of the forecast for each line and place; only charts with lines show them
 */
export function pictureOf(
  chart: Chart,
  kind: ChartKind,
  words: ChartWords,
  colors: ThemeColors,
  ranges: readonly (readonly (ForecastRange | null)[])[],
): Picture {
  const series = namedSeries(chart, words, colors);
  const isAlone = chart.lines.length === 1;
  const ofSeries = chart.lines.flatMap(({ label }, i): LegendEntry[] =>
    label === null
      ? []
      : [{ text: label, color: series[i * sidesOf(chart)]?.color ?? '', side: null }],
  );
  const ofSides = words.sides.map((text, side): LegendEntry => ({
    text,
    color: (isAlone ? sideColor(chart, side, colors) : undefined) ?? colors.muted,
    side,
  }));
  const bands = (kind === 'Y Line' ? ranges : []).flatMap((ofLine, i) =>
    ofLine.some((range) => range !== null) ? [{ ranges: ofLine, series: i * sidesOf(chart) }] : [],
  );
  const ofBands = bands.slice(0, 1).map((band): LegendEntry => ({
    text: bands.length === 1 ? RANGE : RANGE_OF_ONE,
    color: (bands.length === 1 && series[band.series]?.color) || colors.muted,
    ...{ side: null, isBand: true },
  }));
  const { surface, text, muted, line, zero, font } = colors;
  return {
    kind,
    title: words.title,
    subtitle: words.subtitle,
    labels: chart.labels,
    isTime: chart.isTime,
    series,
    legend: [...ofSeries, ...(chart.sides.length > 1 ? ofSides : []), ...ofBands],
    bands,
    stacked: kind === 'Y Bar' && chart.isSum,
    tickText: (value) =>
      chart.format.number_format?.style === 'percent'
        ? formatNumber(value, { style: 'percent', maximumFractionDigits: 1 })
        : formatShort(value / (chart.format.divisor ?? 1)),
    valueText: (value) =>
      formatNumber(value / (chart.format.divisor ?? 1), chart.format.number_format),
    colors: { surface, text, muted, line, zero },
    font,
  };
}

const sidesOf = (chart: Chart): number => chart.lines[0]?.values.length ?? 1;
