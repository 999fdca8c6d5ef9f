/** The months of a scale with a shape: before, pattern and after. */
import type { ShapedGroup } from '../../contract/previews';
import { figureOf, totalOf } from '../../contract/measures';

/** A month of a measure. */
interface ShapedMonth {
  /** The first day of the month; null for rows without a date. */
  day: string | null;
  before: number;
  after: number;
  /** The weight, scaled so that the pattern adds up to the total after the scale; null without a weight. */
  pattern: number | null;
}

/** Returns the months of a measure by its key; none if the source does not have it, or the scale leaves it unchanged. */
export function shapedMonths(groups: readonly ShapedGroup[], measure: string): ShapedMonth[] {
  const months = groups.map(({ group: [day = null], weights, before, after }) => ({
    day,
    before: totalOf(before, measure) ?? 0,
    after: totalOf(after, measure) ?? 0,
    weight: figureOf(weights, measure),
  }));
  if (months.every(({ before, after }) => before === after)) return [];
  const total = months.reduce((sum, { after }) => sum + after, 0);
  const whole = months.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
  return months.map(({ weight, ...month }) => ({
    ...month,
    pattern: weight === null || whole === 0 ? null : (total * weight) / whole,
  }));
}
