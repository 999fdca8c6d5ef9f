import { describe, expect, it } from 'vitest';
import type { LogAnswer } from '$lib/contract/log';
import { versionTotals } from './version-totals.svelte';

const entry = (operation: string, value_total: number | null, units_total: number | null) =>
  ({ operation, value_total, units_total }) as LogAnswer['entries'][number];
const log = (...entries: LogAnswer['entries']): LogAnswer => ({
  ...{ entries, value_col: 'Sales', units_col: 'Quantity', value_total: 0, units_total: 0 },
});

describe('versionTotals', () => {
  it('adds up what operations see, and compares it with the reference', () => {
    const answer = log(
      entry('scale', -0.2, 0),
      entry('reference', 200, 1),
      entry('baseline', 100.3, 4),
    );
    expect(versionTotals(answer, ['reference'])).toEqual({
      ...{ measure: 'Sales', plan: 100.1, reference: 200, share: (100.1 - 200) / 200 },
    });
    expect(versionTotals(answer, ['reference', 'scale'])?.plan).toBe(100.3);
    expect(versionTotals(answer, [])?.plan).toBe(300.1);
  });

  it('takes units if there is no value, and compares with nothing that is not there', () => {
    const units = { ...log(entry('baseline', null, 4)), value_col: null };
    expect(versionTotals(units, ['reference'])).toEqual({
      ...{ measure: 'Quantity', plan: 4, reference: null, share: null },
    });
    expect(versionTotals(log(entry('reference', 0, 0)), ['reference'])).toMatchObject({
      ...{ reference: 0, share: null },
    });
    expect(versionTotals({ ...units, units_col: null }, [])).toBeNull();
  });
});
