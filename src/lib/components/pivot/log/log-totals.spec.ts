import { describe, expect, it } from 'vitest';
import type { LogListEntry } from '$lib/contract/log';
import type { LogOperation } from '$lib/contract/operations';
import { lineTotals, logTotals } from './log-totals';

const entry = (operation: LogOperation, value_total: number | null) =>
  ({ operation, row_count: 2, value_total, units_total: null }) as LogListEntry;

const part = (iter: string, value_total: number) => ({
  ...{ iter, row_count: 1, value_total, units_total: null },
});

const entries = [entry('scale', -30), entry('reference', 700), entry('baseline', 1000)];

describe('logTotals', () => {
  it('separates entries that are not part of the plan', () => {
    expect(logTotals(entries, ['reference'])).toEqual([
      { label: 'Plan', row_count: 4, value_total: 970, units_total: 0 },
      { label: 'Reference', row_count: 2, value_total: 700, units_total: 0 },
    ]);
  });

  it('adds up everything if everything is part of the plan', () => {
    expect(logTotals(entries, [])).toEqual([
      { label: 'Plan', row_count: 6, value_total: 1670, units_total: 0 },
    ]);
  });

  it('separates the rows of a refresh by their origin', () => {
    const refresh = {
      ...entry('refresh', 12),
      origins: [part('baseline', 5), part('reference', 7)],
    };
    expect(logTotals([refresh, entry('refresh', 1), ...entries], ['reference'])).toEqual([
      { label: 'Plan', row_count: 7, value_total: 976, units_total: 0 },
      { label: 'Reference', row_count: 3, value_total: 707, units_total: 0 },
    ]);
  });

  it('omits iterations without entries', () => {
    expect(logTotals([entry('baseline', 5)], ['reference', 'clone'])).toHaveLength(1);
  });

  it('adds up further measures, also those that some entries lack', () => {
    const costly = { ...entry('scale', 5), measures: { cost: 3 } };
    expect(logTotals([costly, entry('baseline', 1), costly], [])).toEqual([
      { label: 'Plan', row_count: 6, value_total: 11, units_total: 0, measures: { cost: 6 } },
    ]);
  });
});

describe('lineTotals', () => {
  const both = { ...entry('refresh', 12), origins: [part('baseline', 5), part('reference', 7)] };

  it('has the rows of refreshes that are part of the plan', () => {
    const totals = { row_count: 3, value_total: 6, units_total: null };
    expect(lineTotals([both, entry('refresh', 1)], ['reference'])).toEqual(totals);
    expect(lineTotals([both], [])).toEqual({ ...totals, row_count: 2, value_total: 12 });
  });

  it('has all rows if none is part of the plan', () => {
    const alone = { ...entry('refresh', 7), origins: [part('reference', 7)] };
    const totals = { row_count: 1, value_total: 7, units_total: null };
    expect(lineTotals([alone], ['reference'])).toEqual(totals);
    expect(lineTotals([entry('reference', 700)], ['reference'])).toEqual({
      ...{ row_count: 2, value_total: 700, units_total: null },
    });
  });
});
