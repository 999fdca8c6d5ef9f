import { describe, expect, it } from 'vitest';
import { cautionOf } from './caution';
import { scaleOutcome, type MeasureEdit } from './scale-draft';

const none = { value: null, units: null };

describe('cautionOf', () => {
  const free = (value_total: number, value_gross: number | null) => ({
    ...{ row_count: 2, value_total, value_gross, value_decimals: 2 },
    ...{ units_total: 4, units_gross: null, units_decimals: 0 },
  });
  const caution = (edit: MeasureEdit, total: number, gross: number | null, isEqual = false) => {
    const totals = { value_total: total, units_total: 4, free: free(total, gross) };
    return cautionOf(
      scaleOutcome({ edits: { ...none, value: edit }, holdPrice: false }, totals),
      totals,
      isEqual,
    );
  };
  const to = (amount: number): MeasureEdit => ({ by: 'total', amount });

  it('returns the sum of the parts of a change if the rows cancel out', () => {
    expect(caution(to(300), 2, 1998)).toEqual({ kind: 'offset', measure: 'value', gross: 297702 });
    expect(caution({ by: 'percent', amount: 10 }, 2, 1998)).toMatchObject({ gross: 199.8 });
    expect(caution(to(300), 2, null)).toBeNull();
    expect(caution(to(300), 2, 1998, true)).toBeNull();
  });

  it('returns the sum of the parts of a further measure, which follows value if it is zero', () => {
    const further = { measures: { cost: 0 }, measure_gross: { cost: null } };
    const rows = { ...free(2, 1998), ...further };
    const totals = { value_total: 2, units_total: 4, ...further, free: rows };
    const edit = { edits: { ...none, cost: to(10) }, holdPrice: false };
    expect(cautionOf(scaleOutcome(edit, totals), totals, false)).toEqual({
      ...{ kind: 'offset', measure: 'cost', gross: 9990 },
    });
  });

  it('returns a rough sum at a held price, where value follows the rounded units of each row', () => {
    const totals = { value_total: 2, units_total: 4, free: free(2, 1998) };
    const draft = { edits: { ...none, value: to(300) }, holdPrice: true };
    const fixed = { value: null, units: 0 };
    expect(cautionOf(scaleOutcome(draft, totals, fixed), totals, false)).toMatchObject({
      kind: 'offset',
      measure: 'value',
      isRough: true,
    });
  });

  it('warns that no amount can follow proportions that cancel out, or nearly so', () => {
    expect(caution(to(300), 0, 1000)).toEqual({ kind: 'cancelled', measure: 'value' });
    expect(caution(to(300), 1, 1001)).toEqual({ kind: 'cancelled', measure: 'value' });
  });

  it('does not warn about rows of zero, which are spread like their units or equally', () => {
    expect(caution(to(300), 0, null)).toBeNull();
    expect(caution(to(300), 0, 0)).toBeNull();
  });
});
