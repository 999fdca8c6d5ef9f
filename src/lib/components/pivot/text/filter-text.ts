/** Texts of filters. */
import type { LayoutFilter } from '$lib/contract/stored-layout';
import type { ColumnFilter } from '$lib/plan/arrangement/fields.svelte';
import { formatDay } from '$lib/pivot/values/date-language';
import { termText } from './slice-text';

const SHOWN = 2;

const WORDS: Readonly<Record<string, string>> = {
  '==': '=',
  '!=': '≠',
  '>=': '≥',
  '<=': '≤',
  'is null': 'is empty',
  'is not null': 'is not empty',
};

/**
 * Returns the filters of one column as text: "Region = West", "Region not East, empty".
 *
 * @param most maximum number of values to name
 */
export function filterText(
  { label, filters, admitted, isDay }: Omit<ColumnFilter, 'column'>,
  most = SHOWN,
): string {
  if (admitted.kind === 'range') {
    const [from, to] = [admitted.from, admitted.to].map((day) => day && formatDay(day));
    if (!from) return `${label} up to ${to}`;
    return to ? `${label}: ${from} – ${to}` : `${label} from ${from}`;
  }
  if (admitted.kind === 'other')
    return `${label} ${filters.map((each) => otherText(each, isDay)).join(' and ')}`;
  const { values, except } = admitted;
  const terms = values.slice(0, most).map((value) => termText(value, isDay));
  const named = terms.join(', ');
  const more = values.length > most ? ` and ${values.length - most} more` : '';
  return `${label} ${except ? 'not' : values.length === 1 ? '=' : 'in'} ${named}${more}`;
}

function otherText([, operator, term]: LayoutFilter, isDay: boolean): string {
  const terms = [term].flat().filter((value) => value !== null);
  return [WORDS[operator] ?? operator, terms.map((value) => termText(value, isDay)).join(', ')]
    .join(' ')
    .trim();
}
