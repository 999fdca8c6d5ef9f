/** Forecasts the history of a source, and the periods of a forecast. */
import type { FitProgress, ForecastPreviewRequest } from '../../../contract/forecasts';
import { type ForecastPreview } from '../../../contract/forecasts';
import type { Database } from '../../db/database';
import { firstDay } from '../../../contract/calendar';
import { unnamed } from './forecast-events';
import { fitHistory } from './forecast-fit';
import { readHistory } from './forecast-history';
import { horizonOf, ignoredIn, numbers } from './forecast-periods';
import { readVersion } from '../version/forecast-version';

/**
 * Forecasts the rows of the source by group, and writes nothing
 * (docs/contract/05-operations.md#post-versionsidforecastpreview). No connection to the database is held while the
 * series are fitted.
 *
 * @param signal ends the work when nobody waits for it
 * @param report called often, first when the history is read
 * @throws AppError as {@link readHistory}, 404
 */
export async function previewForecast(
  db: Database,
  versionId: number,
  request: ForecastPreviewRequest,
  signal?: AbortSignal,
  report?: (progress: FitProgress) => void,
): Promise<ForecastPreview> {
  const history = await db.versionRead(
    versionId,
    async (tx) => readHistory(tx, await readVersion(tx, versionId), request),
    'rows',
    signal,
  );
  const { groups, sums } = await fitHistory(history, request, signal, report);
  const { date, unit, first, through } = history;
  const isIgnored = ignoredIn(history, { ...request, ignore: unnamed(request) });
  const periods = numbers(first, through);
  const horizon = horizonOf(history);
  const named = (of: readonly number[]) => of.map((period) => firstDay(period, unit));
  return {
    column: date.name,
    history: named(periods),
    horizon: named(horizon),
    ignored: named(periods.filter(isIgnored)),
    events: history.events.map(({ name, sharesIn }) => {
      const touched = (of: readonly number[]) => {
        const shares = sharesIn(of);
        return named(of.filter((_, i) => (shares[i] ?? 0) > 0));
      };
      return { name, history: touched(periods), horizon: touched(horizon) };
    }),
    groups: groups.map(
      ({ id: _, deviation: __, freedom: ___, dependence: ____, ...group }) => group,
    ),
    sums,
  };
}
