import { describe, expect, it } from 'vitest';
import { loadWarnings } from './load-warnings';

describe('loadWarnings', () => {
  it('are empty for a load that fills all periods', () => {
    expect(loadWarnings({ row_count: 3 })).toEqual([]);
    expect(loadWarnings({ row_count: 3, outside_calendar: 0 })).toEqual([]);
  });

  it('name periods that are empty in every row, instead of counting the rows', () => {
    expect(loadWarnings({ row_count: 9, outside_calendar: 2 })).toEqual([
      '2 rows lie outside the calendar and have no periods.',
    ]);
    expect(loadWarnings({ row_count: 2, outside_calendar: 2, empty_periods: ['Year'] })).toEqual([
      'Year is empty in every row: the calendar has none of these dates.',
    ]);
  });

  it('name dimensions that do not move with their date', () => {
    expect(loadWarnings({ row_count: 2, copied_periods: ['Month', 'Year'] })).toEqual([
      'Month and Year keep their values from the source, although the date they follow is moved.',
    ]);
    expect(loadWarnings({ row_count: 2, copied_periods: ['Month'] })).toEqual([
      'Month keeps its value from the source, although the date it follows is moved.',
    ]);
  });
});
