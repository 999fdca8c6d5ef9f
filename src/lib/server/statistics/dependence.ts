/** How far the errors of several series rise and fall together, which decides how wide the range of their sum is. */
import type { SeriesForecast } from './forecast';
import { sum } from './series';

/** Errors of this many neighbouring periods count as one independent error, since they resemble each other. */
const RESEMBLING = 3;

/**
 * Estimates the correlation between the errors of two series, on average over all pairs, from the errors that they had
 * in the same withheld periods. A few series say little about it, so the estimate r is multiplied by r² / (r² + v), where
 * v is the variance of an estimate from independent errors. Series that are too young for the backtest of the others
 * do not count.
 *
 * Source: the shrinkage is that of a linear estimate of least squares, with r² in place of the unknown variance of the
 * correlations; Efron and Morris (1973), Stein's estimation rule and its competitors, JASA 68.
 *
 * @returns from 0 to 1; 0 for fewer than two series
 */
export function dependenceOf(withheld: readonly SeriesForecast['withheld'][]): number {
  const longest = Math.max(0, ...withheld.map(({ length }) => length));
  const compared = withheld.filter(({ length }) => length === longest);
  let [together, own] = [0, 0];
  for (let h = 0; h < longest; h++) {
    const errors = compared.flatMap((series) => series[h] ?? []);
    if (errors.length < 2) continue;
    const squares = sum(errors.map((error) => error ** 2));
    together += (sum(errors) ** 2 - squares) / (errors.length - 1);
    own += squares;
  }
  if (own === 0 || together <= 0) return 0;
  const estimate = together / own;
  const independent = longest / RESEMBLING;
  const chance = 2 / (compared.length * (compared.length - 1) * independent);
  return (estimate * estimate ** 2) / (estimate ** 2 + chance);
}
