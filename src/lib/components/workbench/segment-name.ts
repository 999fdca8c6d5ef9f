/** Names of segments. */
import type { ForecastParams } from '$lib/contract/forecasts';
import type { Segment } from '$lib/contract/log';
import { formatDay } from '$lib/pivot/values/date-language';
import { iterName } from '../iter-name';
import { agreementText } from '../level-words';

/** Returns the name of a segment within its version: "Baseline 1" is the first one loaded. */
export function segmentName(
  segment: Pick<Segment, 'id' | 'operation'>,
  all: readonly Pick<Segment, 'id' | 'operation'>[],
): string {
  const earlier = all.filter(
    ({ id, operation }) => operation === segment.operation && id < segment.id,
  );
  return `${iterName(segment.operation)} ${earlier.length + 1}`;
}

/**
 * Describes the level and the history of a forecast: "forecast by Region and month, from rows through 31 Dec 2027".
 *
 * @param labelOf the label of a column
 */
export function describeForecast(
  params: ForecastParams | null,
  labelOf: (column: string) => string,
): string {
  if (!params) return 'forecast';
  const { by, levels, unit, history } = params;
  const level = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format([
    ...by.map(labelOf),
    unit,
  ]);
  return `forecast by ${level}${agreementText(levels)}, from rows through ${formatDay(history.through)}`;
}
