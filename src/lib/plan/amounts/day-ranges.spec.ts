import { describe, expect, it } from 'vitest';
import { joinedDays } from './day-ranges';

describe('ranges of days', () => {
  const range = (from: string, to: string) => ({ from: `2027-${from}`, to: `2027-${to}` });

  it.each([
    ['one after the other', [range('04-01', '04-30'), range('01-01', '03-31')], ['01-01 04-30']],
    ['that overlap', [range('01-01', '03-31'), range('03-01', '04-30')], ['01-01 04-30']],
    ['inside another', [range('01-01', '03-31'), range('02-01', '02-28')], ['01-01 03-31']],
    [
      'with a gap',
      [range('01-01', '01-31'), range('02-02', '02-28')],
      ['01-01 01-31', '02-02 02-28'],
    ],
    ['if there are none', [], []],
  ])('are joined %s', (_, ranges, joined) => {
    expect(joinedDays(ranges).map(({ from, to }) => `${from.slice(5)} ${to.slice(5)}`)).toEqual(
      joined,
    );
  });
});
