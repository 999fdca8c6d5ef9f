/** Sentences about the events of a forecast. */
import type { ForecastUnit, GroupEvent } from '$lib/contract/forecasts';
import { formatPercent, formatShort, plural } from '../format';

/**
 * Returns the sentences about the lift of an event and the amount that it adds to the forecast of a group:
 * "Easter: +40 %, measured in 7 months of the history. It adds 1.2K to the forecast."
 *
 * @param periods number of periods of the history that it falls into
 */
export function eventText(
  { name, lift, horizon }: GroupEvent,
  periods: number,
  unit: ForecastUnit,
): string {
  const measured =
    lift === null
      ? `measured as an amount in ${plural(periods, unit)} of the history`
      : `${formatPercent(lift * 100)} %, measured in ${plural(periods, unit)} of the history`;
  const total = horizon.reduce((sum, amount) => sum + amount, 0);
  if (horizon.length === 0) return `${name}: ${measured}. It is not in the horizon.`;
  const size = formatShort(Math.abs(total));
  return `${name}: ${measured}. It ${total < 0 ? `takes ${size} from` : `adds ${size} to`} the forecast.`;
}
