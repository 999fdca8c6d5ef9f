import { describe, expect, it } from 'vitest';
import { monthNumber, periodOfDay } from '../../../contract/calendar';
import { mean } from '../../statistics/series';
import { numbers, sellingDaysIn } from './forecast-periods';

describe('selling days', () => {
  const month = monthNumber('2027-01-01');
  const ofMonths = (sellingDays: 'monday_to_friday' | 'monday_to_saturday' | null) =>
    sellingDaysIn({ unit: 'month', sellingDays }, numbers(month, month + 5));

  it('are those of the calendar, divided by those of a mean month', () => {
    const days = [21, 20, 23, 22, 21, 22];
    expect(ofMonths('monday_to_friday')).toEqual(
      days.map((each) => expect.closeTo(each / 21.741, 3)),
    );
    const withSaturdays = [26, 24, 27, 26, 26, 26];
    expect(ofMonths('monday_to_saturday')).toEqual(
      withSaturdays.map((each) => expect.closeTo(each / 26.089, 3)),
    );
  });

  it('are 1 on average, in quarters and before 1970, too', () => {
    const century = numbers(
      periodOfDay('1901-01-01', 'quarter'),
      periodOfDay('2000-12-31', 'quarter'),
    );
    const days = sellingDaysIn({ unit: 'quarter', sellingDays: 'monday_to_friday' }, century);
    expect(mean(days)).toBeCloseTo(1, 3);
    expect(Math.min(...days)).toBeGreaterThan(0.9);
  });

  it('do not count by week, or if they are not asked for', () => {
    expect(ofMonths(null)).toEqual([1, 1, 1, 1, 1, 1]);
    const weeks = numbers(2900, 2903);
    expect(sellingDaysIn({ unit: 'week', sellingDays: 'monday_to_friday' }, weeks)).toEqual([
      1, 1, 1, 1,
    ]);
  });
});
