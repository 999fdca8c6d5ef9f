/** What a chart shows besides its numbers: closed months, and the range of a loaded forecast. */
import { untrack } from 'svelte';
import { Latest } from '$lib/client/latest.svelte';
import type { Chart } from '$lib/pivot/chart/chart-reader';
import type { ClosedDate } from '$lib/pivot/grid/views/closed-headers';
import { readBucket } from '$lib/pivot/values/time-unit';
import {
  forecastRanges,
  limitedTo,
  membersOf,
  type ForecastRange,
} from '$lib/plan/amounts/forecast-range';
import type { PlanSession } from '$lib/plan/session.svelte';

/** The marks of closed months and the ranges of forecasts in the chart that was read last. */
export class ChartNotes {
  private readonly closed = new Latest<readonly boolean[]>();

  constructor(
    private readonly session: Pick<
      PlanSession,
      'arrangement' | 'loading' | 'locks' | 'log' | 'pivot' | 'planned'
    >,
  ) {}

  /** Whether a place of the chart stands for closed months only. */
  readonly hasClosed: boolean = $derived.by(() => this.closed.answer?.includes(true) === true);

  /** The chart as it was read, with a mark on the labels of closed months. */
  readonly chart: Chart | null = $derived.by(() => {
    const { answer } = this.session.arrangement.chart;
    const { answer: closed } = this.closed;
    const labels = answer?.labels.map((text, i) => (closed?.[i] ? `${text} ✓` : text));
    return answer && { ...answer, labels: labels ?? [] };
  });

  /** The range of the forecast for each line and place; null where it is not known. */
  readonly ranges: readonly (readonly (ForecastRange | null)[])[] = $derived.by(() => {
    const { arrangement, loading, log, planned } = this.session;
    const { answer: chart } = arrangement.chart;
    const [side] = chart?.sides ?? [];
    const bucket = readBucket(arrangement.shown.expressions?.[chart?.axis.at(-1) ?? ''] ?? '');
    const date = planned.dates.find(({ cname }) => cname === planned.dateColumn);
    const measure = side ? planned.keyOf(side.column) : null;
    const isPlan = arrangement.entries.areAll && planned.asOf === null;
    // The ranges are amounts.
    if (!chart?.isSum || chart.format.shown_as) return [];
    if (!measure || !isPlan || !date || bucket?.date !== date.cname) return [];
    const forecasts = (log.answer?.entries ?? []).flatMap((entry) =>
      entry.operation === 'forecast' && entry.params ? [entry.params] : [],
    );
    const ofDate = planned.dimensions.filter(
      ({ role, dim_group }) => role === 'dimension' && dim_group === date.dim_group,
    );
    const periods = date.dim_group === null ? [] : ofDate.map(({ cname }) => cname);
    const filters = membersOf(arrangement.shown.filter ?? [], periods, loading.pivot?.schema ?? {});
    if (forecasts.length === 0 || !filters) return [];
    const starts = chart.places.map(([path]) => {
      const start = path?.at(-1);
      return typeof start === 'number' ? start : null;
    });
    return chart.lines.map(({ members, values: [amounts = []] }) => {
      const { series } = chart;
      // A period has all rows of the places that it has values in.
      const isWhole = series === null || periods.includes(series);
      const own = isWhole ? filters : limitedTo(filters, series, members ?? []);
      const line = { measure, starts, unit: bucket.unit, members: own };
      return forecastRanges(forecasts, line).map((range, i) => (amounts[i] == null ? null : range));
    });
  });

  /** Reads which places of the chart are closed. */
  read(): void {
    const { arrangement, locks, planned } = this.session;
    const { answer } = arrangement.chart;
    const dates = locks.closedDates(planned.columns);
    if (answer === null || dates.length === 0) return this.closed.clear();
    untrack(() => this.closed.ask(() => this.closedPlaces(answer, dates)));
  }

  stop(): void {
    this.closed.stop();
  }

  private async closedPlaces({ axis, places }: Chart, dates: readonly ClosedDate[]) {
    const headers = await this.session.pivot?.grid.closedHeaders(dates);
    return places.map((paths) => paths.every((path) => headers?.has(axis, path) === true));
  }
}
