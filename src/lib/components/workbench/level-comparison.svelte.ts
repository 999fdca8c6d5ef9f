/** Compares the levels that a forecast can be fitted at. */
import { Latest } from '$lib/client/latest.svelte';
import { callInLines } from '$lib/client/api';
import {
  FitProgress,
  type ForecastLevels,
  type ForecastPreviewRequest,
} from '$lib/contract/forecasts';

/** Debounce in ms: a comparison fits up to 1,000 series. */
const PAUSE_MS = 1200;

/** Whether two levels have the same dimensions. */
export const isSameLevel = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name) => other.includes(name));

/** The comparison of levels. It stays while one of its levels is chosen and the rest of the request is the same. */
export class LevelComparison {
  readonly latest = new Latest<ForecastLevels>(PAUSE_MS);
  /** The progress of the comparison that is asked for; null before the first report. */
  progress = $state.raw<FitProgress | null>(null);
  /** The request without its levels. */
  private asked = '';

  constructor(private readonly versionId: number) {}

  /** Compares the levels for a request, unless its level is compared already; null drops the comparison. */
  ask(request: ForecastPreviewRequest | null): void {
    if (request === null) {
      this.asked = '';
      return this.latest.clear();
    }
    const { by, levels: _, ...rest } = request;
    const asked = JSON.stringify(rest);
    const { answer } = this.latest;
    const isKnown = answer?.levels.some((level) => isSameLevel(level.by, by ?? [])) === true;
    if (asked === this.asked && isKnown) return;
    this.asked = asked;
    this.progress = null;
    this.latest.ask((signal) => {
      const sent = { id: this.versionId, body: { ...rest, by }, signal };
      return callInLines('POST /versions/{id}/forecast/levels', sent, FitProgress, (progress) => {
        if (!signal.aborted) this.progress = progress;
      });
    });
  }
}
