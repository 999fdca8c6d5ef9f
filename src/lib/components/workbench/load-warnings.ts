/** Warnings about the periods of a load, shown before and after it. */
import type { LoadAnswer, LoadPreview } from '$lib/contract/loads';
import { plural } from '../format';

const and = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Returns a sentence for each unexpected effect of a load on periods; often none. */
export function loadWarnings(
  load: Pick<
    LoadPreview | LoadAnswer,
    'outside_calendar' | 'empty_periods' | 'copied_periods' | 'row_count'
  >,
): string[] {
  const { outside_calendar: outside = 0, empty_periods: empty, copied_periods: copied } = load;
  const warnings: string[] = [];
  if (empty)
    warnings.push(
      `${and.format(empty)} ${empty.length === 1 ? 'is' : 'are'} empty in every row: the calendar has none of these dates.`,
    );
  else if (outside > 0)
    warnings.push(`${plural(outside, 'row')} lie outside the calendar and have no periods.`);
  if (copied)
    warnings.push(
      `${and.format(copied)} ${copied.length === 1 ? 'keeps its value' : 'keep their values'} from the source, although the date ${copied.length === 1 ? 'it follows' : 'they follow'} is moved.`,
    );
  return warnings;
}
