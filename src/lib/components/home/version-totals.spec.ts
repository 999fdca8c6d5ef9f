import { describe, expect, it } from 'vitest';
import type { VersionTotals } from '$lib/contract/versions';
import { measuresOf, shownTotals } from './version-totals.svelte';

const sums = (value_total: number | null, units_total: number | null) => ({
  ...{ row_count: 1, value_total, units_total },
});
const totals: VersionTotals = {
  ...{ value_col: 'Sales', units_col: 'Quantity', date_col: 'Order Date' },
  ...{ value_type: 'numeric(12,2)', units_type: 'integer' },
  ...{ plan: sums(100.1, 4), reference: sums(200, 1) },
  compared: { first_month: '2027-01-01', last_month: '2027-03-01', ...sums(80, 3) },
  months: [{ month: '2027-01-01', ...sums(100.1, 4) }],
};

describe('the totals of a version', () => {
  it('are those of its value, compared with the reference over the same months', () => {
    expect(shownTotals(totals)).toEqual({
      decimals: { least: 2, most: 2 },
      ...{ measure: 'Sales', plan: 100.1, reference: 200, compared: 80, share: (80 - 200) / 200 },
      span: ['2027-01-01', '2027-03-01'],
      months: [{ month: '2027-01-01', amount: 100.1 }],
    });
  });

  it('are those of the units column without a value column, and have no comparison without a reference', () => {
    const units = { ...totals, value_col: null };
    expect(shownTotals({ ...units, reference: null, compared: null })).toEqual({
      decimals: { least: 0, most: 0 },
      ...{ measure: 'Quantity', plan: 4, reference: null, compared: null, span: null, share: null },
      months: [{ month: '2027-01-01', amount: 4 }],
    });
    expect(shownTotals({ ...totals, reference: sums(0, 0) })).toMatchObject({
      ...{ reference: 0, share: null },
    });
    expect(shownTotals({ ...units, units_col: null })).toBeNull();
  });

  it('name the measure by its label', () => {
    expect(shownTotals({ ...totals, labels: { Sales: 'Sales in €' } })).toMatchObject({
      ...{ measure: 'Sales in €', plan: 100.1 },
    });
  });

  it('are those of the chosen measure, or of the first one if the version lacks it', () => {
    const cost = (amount: number) => ({ measures: { cost: amount } });
    const further: VersionTotals = {
      ...totals,
      measure_types: { cost: 'numeric(9,3)' },
      plan: { ...totals.plan, ...cost(7.5) },
      reference: { ...sums(200, 1), ...cost(5) },
      compared: { first_month: null, last_month: null, ...sums(80, 3), ...cost(6) },
      months: [{ month: '2027-01-01', ...sums(100.1, 4), ...cost(7.5) }],
    };
    expect(measuresOf(further).map(({ name }) => name)).toEqual(['Sales', 'Quantity', 'cost']);
    expect(shownTotals(further, 'cost')).toEqual({
      decimals: { least: 3, most: 3 },
      ...{ measure: 'cost', plan: 7.5, reference: 5, compared: 6, span: null, share: 0.2 },
      months: [{ month: '2027-01-01', amount: 7.5 }],
    });
    expect(shownTotals(further, 'units')).toMatchObject({ measure: 'Quantity', plan: 4 });
    expect(shownTotals(further, 'hours')).toEqual(shownTotals(further));
  });
});
