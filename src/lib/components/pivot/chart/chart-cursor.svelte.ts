/** The place and the series of a chart that keys and mouse point at. */
import type { BarPosition } from './draw-chart';

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  PageDown: (at) => at + 12,
  PageUp: (at) => at - 12,
  Home: () => 0,
  End: (_, last) => last,
};

/** Values by series and place; null where there is none. */
type Values = readonly { values: readonly (number | null)[] }[];

/** The place on the axis whose values the chart shows, and the series that keys or the mouse chose. */
export class ChartCursor {
  /** Index of the place; null for none. */
  place = $state.raw<number | null>(null);
  /** Index of the series; null for all of them. */
  series = $state.raw<number | null>(null);

  /** The bar or point at the cursor; null if it points at no single one. */
  get bar(): BarPosition | null {
    const { place, series } = this;
    return place === null || series === null ? null : { place, series };
  }

  goTo(place: number | null, series: number | null = null): void {
    this.place = place;
    this.series = series;
  }

  /** Keeps the cursor within a chart of another size. */
  keepWithin(places: number, series: number): void {
    if (this.place !== null) this.place = Math.min(this.place, places - 1);
    if (this.series !== null && this.series >= series) this.series = null;
  }

  /**
   * Moves by a key: left and right between places, up and down between the series that have a value there.
   *
   * @returns whether the key moves the cursor
   */
  press(key: string, values: Values, places: number): boolean {
    const { place } = this;
    const step = STEPS[key];
    if (key === 'Escape' && place !== null) this.goTo(null);
    else if (step) {
      const to = place === null && key !== 'End' ? 0 : step(place ?? 0, places - 1);
      this.place = Math.max(0, Math.min(places - 1, to));
      if (this.series !== null && values[this.series]?.values[this.place] == null)
        this.series = null;
    } else if (key === 'ArrowDown' || key === 'ArrowUp') this.stepSeries(key, values);
    else return false;
    return true;
  }

  private stepSeries(key: 'ArrowDown' | 'ArrowUp', values: Values): void {
    this.place ??= 0;
    const { place } = this;
    const there = values.flatMap((each, i) => (each.values[place] == null ? [] : [i]));
    const all = [null, ...there];
    const at = all.indexOf(this.series) + (key === 'ArrowDown' ? 1 : -1);
    this.series = all.at(at % all.length) ?? null;
  }
}
