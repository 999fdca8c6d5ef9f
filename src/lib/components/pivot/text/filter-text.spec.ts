import { expect, it } from 'vitest';
import type { LayoutFilter } from '$lib/contract/stored-layout';
import { admitted } from '$lib/pivot/slice/filter';
import { filterText } from './filter-text';

it.each<[isDay: boolean, filters: LayoutFilter[], text: string]>([
  [true, [['C', '==', '2027-01-05']], 'C = Jan 5, 2027'],
  [true, [['C', '!=', '2027-01-05']], 'C not Jan 5, 2027'],
  [true, [['C', '>=', '2027-01-05']], 'C from Jan 5, 2027'],
  [true, [['C', '>', '2027-01-05']], 'C > Jan 5, 2027'],
  [false, [['C', '==', '2027-01-05']], 'C = 2027-01-05'],
  [false, [['C', '>', '2027-01-05']], 'C > 2027-01-05'],
])('with days: %j, %j is “%s”', (isDay, filters, text) => {
  expect(filterText({ label: 'C', filters, admitted: admitted(filters), isDay })).toBe(text);
});
