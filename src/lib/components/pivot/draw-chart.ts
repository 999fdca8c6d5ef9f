/** Draws a picture of a chart on a canvas. */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as Canvas,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  SubTitle,
  Title,
  type ChartDataset,
  type LegendItem,
  type Plugin,
} from 'chart.js';
import type { ChartKind } from '$lib/pivot/chart/chart';

Canvas.register(
  ...[BarController, BarElement, CategoryScale, Legend, LinearScale],
  ...[LineController, LineElement, PointElement, SubTitle, Title],
);

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
  /** The pattern that is shown; null for a plain patch of the colour. */
  side: number | null;
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
  /** Whether series of one side are stacked. */
  stacked: boolean;
  tickText(value: number): string;
  colors: Record<'surface' | 'text' | 'muted' | 'line' | 'zero', string>;
  font: string;
}

/** The dash pattern of the lines of each side. */
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
/** Maximum number of points of a line that are drawn as dots. */
const MOST_POINTS = 40;
const LONGEST_NAME = 28;

/** A chart on a canvas that can be redrawn in place. */
export class DrawnChart {
  private readonly canvas: Canvas<'bar' | 'line', (number | null)[], string>;
  private marked: number | null = null;

  constructor(
    element: HTMLCanvasElement,
    private picture: Picture,
  ) {
    this.canvas = new Canvas<'bar' | 'line', (number | null)[], string>(element, {
      ...this.config(),
      plugins: [this.frame()],
    });
  }

  update(picture: Picture): void {
    this.picture = picture;
    const { data, options } = this.config();
    this.canvas.data = data;
    this.canvas.options = options;
    this.canvas.update();
  }

  /** Marks a place of the axis; null marks none. */
  mark(index: number | null): void {
    this.marked = index;
    this.canvas.draw();
  }

  /** Returns the place of the axis at a point of the element; null outside the chart. */
  placeAt(x: number, y: number): number | null {
    const { left, right, top, bottom } = this.canvas.chartArea;
    if (x < left || x > right || y < top || y > bottom) return null;
    const place = this.canvas.scales.x?.getValueForPixel(x);
    return place === undefined ? null : Math.min(place, this.picture.labels.length - 1);
  }

  /** Returns the distance of a place of the axis from the left of the element. */
  xOf(index: number): number {
    return this.canvas.scales.x?.getPixelForValue(index) ?? 0;
  }

  destroy(): void {
    this.canvas.destroy();
  }

  private config() {
    const { kind, labels, isTime, series, stacked, colors, font, title, subtitle } = this.picture;
    const text = (size: number, weight = 400) => ({ family: font, size, weight });
    return {
      type: kind === 'Y Line' ? ('line' as const) : ('bar' as const),
      data: { labels: [...labels], datasets: series.map((each) => this.dataset(each)) },
      options: {
        animation: false as const,
        responsive: true,
        maintainAspectRatio: false,
        // Also sharp on paper and on a slide.
        devicePixelRatio: Math.max(2, window.devicePixelRatio),
        events: [],
        layout: { padding: { top: 4, right: 16, bottom: 4, left: 8 } },
        scales: {
          x: {
            stacked,
            grid: { display: false },
            border: { color: colors.zero },
            ticks: {
              color: colors.muted,
              font: text(12),
              maxRotation: isTime ? 0 : 45,
              autoSkip: isTime || labels.length > MOST_POINTS,
              autoSkipPadding: 12,
              callback: (_: unknown, index: number) => shortened(labels[index] ?? '', 20),
            },
          },
          y: {
            stacked,
            border: { display: false },
            grid: {
              color: ({ tick }: { tick?: { value: number } }) =>
                tick?.value === 0 ? colors.zero : colors.line,
            },
            ticks: {
              color: colors.muted,
              font: text(12),
              callback: (value: number | string) => this.picture.tickText(Number(value)),
            },
          },
        },
        plugins: {
          title: {
            display: true,
            text: title,
            align: 'start' as const,
            color: colors.text,
            font: text(16, 620),
            padding: { top: 4, bottom: 2 },
          },
          subtitle: {
            display: subtitle !== '',
            text: subtitle,
            align: 'start' as const,
            color: colors.muted,
            font: text(12),
            padding: { bottom: 6 },
          },
          legend: {
            display: this.picture.legend.length > 1,
            align: 'start' as const,
            onClick: () => undefined,
            labels: {
              color: colors.text,
              font: text(13),
              usePointStyle: true,
              boxWidth: 24,
              boxHeight: 10,
              padding: 14,
              generateLabels: () => this.picture.legend.map((entry) => this.legendItem(entry)),
            },
          },
        },
      },
    };
  }

  private dataset({
    values,
    color,
    side,
  }: DrawnSeries): ChartDataset<'bar' | 'line', (number | null)[]> {
    const { kind, stacked, labels } = this.picture;
    const data = [...values];
    if (kind === 'Y Line') {
      const isAlone = (i: number) => values[i - 1] == null && values[i + 1] == null;
      const isFew = labels.length <= MOST_POINTS;
      return {
        type: 'line',
        data,
        borderColor: color,
        backgroundColor: color,
        borderWidth: side === 0 ? 2.5 : 1.75,
        borderDash: DASHES[side % DASHES.length] ?? [],
        // A line needs two ends: a single number is drawn as a point, or it would be invisible.
        pointRadius: ({ dataIndex }) => (isFew || isAlone(dataIndex) ? 2.5 : 0),
        tension: 0,
      };
    }
    return {
      type: 'bar',
      data,
      backgroundColor: this.fill(color, side),
      borderColor: color,
      borderWidth: side === 0 ? 0 : 1,
      ...(stacked && { stack: String(side) }),
      categoryPercentage: 0.8,
      barPercentage: 0.95,
    };
  }

  /** Returns a colour for the plan, and the same colour in stripes for the sides that it is compared with. */
  private fill(color: string, side: number): string | CanvasPattern {
    if (side === 0) return color;
    const tile = document.createElement('canvas');
    const size = side === 1 ? 8 : 4;
    tile.width = tile.height = size;
    const context = tile.getContext('2d');
    if (!context) return color;
    context.fillStyle = this.picture.colors.surface;
    context.fillRect(0, 0, size, size);
    context.strokeStyle = color;
    context.lineWidth = size / 4;
    for (const shift of [-size, 0, size]) {
      context.moveTo(shift, size);
      context.lineTo(shift + size, 0);
    }
    context.stroke();
    return context.createPattern(tile, 'repeat') ?? color;
  }

  private legendItem({ text, color, side }: LegendEntry): LegendItem {
    const isLine = this.picture.kind === 'Y Line' && side !== null;
    return {
      text: shortened(text, LONGEST_NAME),
      fontColor: this.picture.colors.text,
      fillStyle: isLine ? 'transparent' : this.fill(color, side ?? 0),
      strokeStyle: color,
      lineWidth: isLine ? 2 : side ? 1 : 0,
      lineDash: isLine ? (DASHES[side % DASHES.length] ?? []) : [],
      pointStyle: isLine ? 'line' : 'rect',
    };
  }

  /** Draws the surface behind the chart, which a saved picture also needs, and the mark in front of it. */
  private frame(): Plugin<'bar' | 'line'> {
    return {
      id: 'frame',
      beforeDraw: ({ ctx, width, height }) => {
        ctx.save();
        ctx.fillStyle = this.picture.colors.surface;
        ctx.fillRect(0, 0, width, height);
        ctx.restore();
      },
      afterDatasetsDraw: ({ ctx, chartArea: { top, bottom } }) => {
        if (this.marked === null) return;
        const x = this.xOf(this.marked);
        ctx.save();
        ctx.strokeStyle = this.picture.colors.muted;
        ctx.setLineDash([3, 3]);
        ctx.beginPath();
        ctx.moveTo(x, top);
        ctx.lineTo(x, bottom);
        ctx.stroke();
        ctx.restore();
      },
    };
  }
}

const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
