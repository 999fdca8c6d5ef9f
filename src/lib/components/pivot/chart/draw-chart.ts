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
import { type BarBox, barLabels } from './bar-labels';
import type { DrawnSeries, LegendEntry, Picture } from './chart-picture';
import { type Band, drawBands, endsOf, paleOf } from './draw-bands';

Canvas.register(
  ...[BarController, BarElement, CategoryScale, Legend, LinearScale],
  ...[LineController, LineElement, PointElement, SubTitle, Title],
);

/** A bar or point of a chart: a series at a place of the axis, both by index. */
export interface BarPosition {
  place: number;
  series: number;
}

/** The dash pattern of the lines of each side. */
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [14, 4], [6, 2, 2, 2, 2, 2]];
/** Maximum number of points of a line that are drawn as dots. */
const MOST_POINTS = 40;
/** Greatest distance from a point of a line at which a press selects it, in pixels. */
const NEAR = 16;
const LONGEST_NAME = 28;

/** A chart on a canvas that can be redrawn in place. */
export class DrawnChart {
  private readonly canvas: Canvas<'bar' | 'line', (number | null)[], string>;
  private marked: number | null = null;
  private outlined: readonly BarPosition[] = [];
  private bands: readonly Band[] = [];

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

  /** Marks a place of the axis (null marks none), outlines some bars or points, and draws some bands. */
  mark(index: number | null, outlined: readonly BarPosition[], bands: readonly Band[]): void {
    this.marked = index;
    this.outlined = outlined;
    this.bands = bands;
    this.canvas.draw();
  }

  /** Returns the bar at a point of the element, or the nearest point of a line; null if there is none. */
  barAt(x: number, y: number): BarPosition | null {
    const place = this.placeAt(x, y);
    if (place === null) return null;
    const { series, kind } = this.picture;
    const found = series.flatMap(({ values }, i): [BarPosition, number][] => {
      const element = this.elementOf({ place, series: i });
      if (values[place] == null || !element) return [];
      const distance = Math.abs(element.y - y);
      const isHit = kind === 'Y Line' ? distance <= NEAR : element.inRange(x, y, true);
      return isHit ? [[{ place, series: i }, distance]] : [];
    });
    return found.sort(([, one], [, other]) => one - other)[0]?.[0] ?? null;
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

  private elementOf(
    { place, series }: BarPosition,
    canvas = this.canvas,
  ): BarElement | PointElement | null {
    const element = canvas.getDatasetMeta(series).data[place];
    return element instanceof BarElement || element instanceof PointElement ? element : null;
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
            ...(this.picture.bands.length === 1 && endsOf(this.picture.bands)),
            // Room for the labels of the longest bars.
            ...(kind !== 'Y Line' && { grace: '6%' }),
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
            display: this.picture.legend.length > 1 || this.picture.bands.length > 0,
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
    const size = side % 2 === 1 ? 8 : 4;
    tile.width = tile.height = size;
    const context = tile.getContext('2d');
    if (!context) return color;
    context.fillStyle = this.picture.colors.surface;
    context.fillRect(0, 0, size, size);
    context.strokeStyle = color;
    context.lineWidth = size / 4;
    // Rising, falling and level stripes, each wide and narrow.
    const [from, to] = side < 3 ? [size, 0] : side < 5 ? [0, size] : [size / 2, size / 2];
    for (const shift of [-size, 0, size]) {
      context.moveTo(shift, from);
      context.lineTo(shift + size, to);
    }
    context.stroke();
    return context.createPattern(tile, 'repeat') ?? color;
  }

  private legendItem({ text, color, side, isBand }: LegendEntry): LegendItem {
    const isLine = this.picture.kind === 'Y Line' && side !== null;
    return {
      text: shortened(text, LONGEST_NAME),
      fontColor: this.picture.colors.text,
      fillStyle: isLine ? 'transparent' : isBand ? paleOf(color) : this.fill(color, side ?? 0),
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
      beforeDatasetsDraw: (canvas) =>
        drawBands(canvas, this.bands, (series) => this.picture.series[series]?.color ?? ''),
      // The first drawing happens before the constructor has the chart.
      afterDatasetsDraw: (canvas: typeof this.canvas) => {
        const { ctx, chartArea } = canvas;
        const { top, bottom } = chartArea;
        ctx.save();
        if (this.marked !== null) {
          const x = this.xOf(this.marked);
          ctx.strokeStyle = this.picture.colors.muted;
          ctx.setLineDash([3, 3]);
          ctx.beginPath();
          ctx.moveTo(x, top);
          ctx.lineTo(x, bottom);
          ctx.stroke();
          ctx.setLineDash([]);
        }
        this.labelBars(ctx, canvas);
        for (const position of this.outlined) this.outline(ctx, canvas, position);
        ctx.restore();
      },
    };
  }

  private labelBars(ctx: CanvasRenderingContext2D, canvas: typeof this.canvas): void {
    const { colors, font } = this.picture;
    ctx.font = `12px ${font}`;
    ctx.fillStyle = colors.text;
    ctx.textAlign = 'center';
    const boxOf = (place: number, series: number) => this.boxOf({ place, series }, canvas);
    const widthOf = (text: string) => ctx.measureText(text).width;
    for (const { text, x, y, isBelow } of barLabels(this.picture, boxOf, widthOf)) {
      ctx.textBaseline = isBelow ? 'top' : 'bottom';
      ctx.fillText(text, x, y);
    }
  }

  private boxOf(position: BarPosition, canvas: typeof this.canvas): BarBox | null {
    const element = this.elementOf(position, canvas);
    if (!(element instanceof BarElement)) return null;
    const { x, y, base, width } = element.getProps(['x', 'y', 'base', 'width'], true);
    return { x: x ?? 0, y: y ?? 0, base: base ?? 0, width: width ?? 0 };
  }

  /** Draws an outline around a bar, or a ring around a point. */
  private outline(
    ctx: CanvasRenderingContext2D,
    canvas: typeof this.canvas,
    position: BarPosition,
  ): void {
    if (this.picture.series[position.series]?.values[position.place] == null) return;
    ctx.strokeStyle = this.picture.colors.text;
    ctx.lineWidth = 2;
    ctx.beginPath();
    const box = this.boxOf(position, canvas);
    const point = this.elementOf(position, canvas);
    if (box) {
      const { x, y, base, width } = box;
      ctx.rect(x - width / 2, Math.min(y, base), width, Math.abs(base - y));
    } else if (point) ctx.arc(point.x, point.y, 6, 0, 2 * Math.PI);
    ctx.stroke();
  }
}

const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
