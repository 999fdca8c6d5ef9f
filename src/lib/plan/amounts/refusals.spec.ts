import { describe, expect, it } from 'vitest';
import { whyInexact, whyInProportion, whyNoShare } from './refusals';
import type { MeasureEdit } from './scale-draft';

const none = { value: null, units: null };

describe('whyInProportion', () => {
  it('excludes equal parts for percentages and a held price', () => {
    const why = (edits: Record<string, MeasureEdit>, holdPrice = false) =>
      whyInProportion({ edits: { ...none, ...edits }, holdPrice });
    const change = { by: 'change', amount: 5 } as const;
    expect(why({ value: change })).toBeNull();
    expect(why({ value: { by: 'total', amount: 5 } })).toBeNull();
    const percent = { by: 'percent', amount: 5 } as const;
    expect(why({ value: change, units: percent })).toMatch(/percentage/);
    expect(why({ value: change }, true)).toMatch(/price/);
  });
});

describe('whyInexact', () => {
  it('refuses amounts that a double cannot represent, and changes to totals that it cannot', () => {
    expect(whyInexact({ by: 'change', amount: 5e13 }, 0, 2)).toMatch(
      /too many digits to be stored/,
    );
    expect(whyInexact({ by: 'total', amount: 5 }, 5e13, 2)).toMatch(/too many digits to be exact/);
    expect(whyInexact({ by: 'change', amount: 5 }, 5e13, 2)).toBeNull();
    expect(whyInexact({ by: 'percent', amount: 5 }, 5e13, 2)).toBeNull();
    expect(whyInexact({ by: 'total', amount: 5e13 }, 0, 0)).toBeNull();
    expect(whyInexact({ by: 'total', amount: 5e13 }, 0, null)).toBeNull();
  });
});

describe('whyNoShare', () => {
  const decimals = { value_decimals: 0, units_decimals: 2 };
  const rows = (value_total: number | null, units_total: number | null, value_gross?: number) => ({
    ...{ row_count: 2, value_total, units_total, ...decimals },
    ...{ value_gross: value_gross ?? null, units_gross: null },
  });

  it('refuses a share that rounds to 0 in both measures', () => {
    expect(whyNoShare('change', 0.0005, rows(-809, null), decimals)).toContain('rounds to 0');
    expect(whyNoShare('change', 0.0007, rows(-809, null), decimals)).toBe(null);
    expect(whyNoShare('move', 0.0005, rows(-809, 10), decimals)).toBe(null);
    expect(whyNoShare('copy', -0.0005, rows(-809, 9), decimals)).toContain('larger factor');
  });

  it('judges rows that cancel each other out by their absolute amounts', () => {
    expect(whyNoShare('change', 0.1, rows(1, null, 2001), decimals)).toBe(null);
    expect(whyNoShare('change', 0.1, rows(0, 0), decimals)).toContain('all 0');
  });

  it('considers further measures', () => {
    const costly = (cost: number, gross: number | null = null) => ({
      ...rows(0, 0),
      ...{ measures: { cost }, measure_gross: { cost: gross } },
    });
    const places = { ...decimals, measure_decimals: { cost: 1 } };
    expect(whyNoShare('move', 1, costly(0), places)).toContain('nothing to move');
    expect(whyNoShare('move', 1, costly(5), places)).toBe(null);
    expect(whyNoShare('copy', 1, costly(0, 80), places)).toBe(null);
    expect(whyNoShare('change', 0.001, costly(5), places)).toContain('rounds to 0');
    const unrounded = { ...decimals, measure_decimals: { cost: null } };
    expect(whyNoShare('change', 0.001, costly(5), unrounded)).toBe(null);
  });
});
