import { Latest } from '../client/latest.svelte';
import type { Chart } from '../pivot/chart/chart-reader';
import type { Arrangement } from './arrangement.svelte';
import type { Loading } from './loading.svelte';

/** The chart on screen, if there is one: what it draws, read again after each change. */
export class Charting {
  readonly latest = new Latest<Chart>();

  constructor(
    private readonly loading: Loading,
    private readonly arrangement: Arrangement,
  ) {}

  /** Reads the chart anew. To be called after everything that changes what is shown. */
  follow(): void {
    const { pivot } = this.loading;
    if (this.arrangement.isGrid || !pivot) return this.latest.clear();
    this.latest.ask(() => pivot.chart());
  }
}
