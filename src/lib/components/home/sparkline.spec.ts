import { describe, expect, it } from 'vitest';
import { sparkline } from './sparkline';

const BOX = { width: 104, height: 24 };
const months = (...amounts: [month: string, amount: number][]) =>
  amounts.map(([month, amount]) => ({ month: `${month}-01`, amount }));

describe('a line by month', () => {
  it('goes from the first to the last month, between the lowest and the highest', () => {
    const line = sparkline(months(['2026-12', 10], ['2027-01', 30], ['2027-02', -10]), BOX);
    expect(line).toMatchObject({
      first: { month: '2026-12-01', amount: 10 },
      last: { month: '2027-02-01', amount: -10 },
      lowest: { month: '2027-02-01', amount: -10 },
      highest: { month: '2027-01-01', amount: 30 },
      points: '2,12 52,2 102,22',
      end: { x: 102, y: 22 },
    });
  });

  it('is at 0 in months without rows', () => {
    const line = sparkline(months(['2027-01', 10], ['2027-06', 10]), BOX);
    expect(line?.points).toBe('2,2 22,22 82,22 102,2');
    expect(line?.lowest).toMatchObject({ month: '2027-02-01', amount: 0 });
    const over = sparkline(months(['2026-11', 10], ['2027-01', 20]), BOX);
    expect(over?.lowest).toMatchObject({ month: '2026-12-01', amount: 0 });
  });

  it('is level if all months are equal, and null for fewer than two months', () => {
    const level = sparkline(months(['9999-12', 5], ['10000-01', 5]), BOX);
    expect(level?.points).toBe('2,12 102,12');
    expect(sparkline(months(['2027-01', 5]), BOX)).toBeNull();
    expect(sparkline([], BOX)).toBeNull();
  });
});
