import { describe, expect, it } from 'vitest';
import {
  decimalsOf,
  decimalsShown,
  decimalsWarning,
  exactBelow,
  movePoint,
  roundedProduct,
  roundTo,
  withoutResidue,
} from './decimals';

describe('decimalsOf', () => {
  it('returns the decimals that a type fixes', () => {
    expect(['smallint', 'integer', 'bigint'].map(decimalsOf)).toEqual([0, 0, 0]);
    expect(decimalsOf('numeric(12,3)')).toBe(3);
    expect(decimalsOf('numeric(10,0)')).toBe(0);
    expect(decimalsOf('numeric(8,-2)')).toBe(-2);
  });

  it('returns null for other types', () => {
    for (const type of ['numeric', 'double precision', 'real', 'text', null, undefined])
      expect(decimalsOf(type)).toBeNull();
  });
});

describe('roundTo', () => {
  it('rounds half away from zero by the decimal digits', () => {
    expect(roundTo(1.005, 2)).toBe(1.01);
    expect(roundTo(-2.5, 0)).toBe(-3);
    expect(roundTo(149, -2)).toBe(100);
    expect(roundTo(0.000009, 6)).toBe(0.000009);
  });

  it('has no negative zero', () => {
    expect(Object.is(roundTo(-0.004, 2), 0)).toBe(true);
  });
});

it('moves the decimal point without rounding', () => {
  expect(movePoint(5e-12, 11)).toBe(0.5);
});

describe('decimalsShown', () => {
  const value = (type: string, amounts?: number[]) => decimalsShown('value', type, amounts).most;

  it('are those of the type', () => {
    expect(decimalsShown('value', 'numeric(12,3)')).toEqual({ least: 3, most: 3 });
    expect(decimalsShown('units', 'numeric(12,3)', [1])).toEqual({ least: 3, most: 3 });
    expect(value('numeric(12,6)')).toBe(6);
    expect(value('integer')).toBe(0);
    expect(value('numeric(8,-2)')).toBe(0);
    expect(value('numeric(38,20)')).toBe(12);
  });

  it('are those that the amounts need, from 2 to 6, if the type fixes none', () => {
    expect(value('numeric')).toBe(2);
    expect(value('double precision', [1, 2.5])).toBe(2);
    expect(value('numeric', [1.125, 2])).toBe(3);
    expect(value('double precision', [0.000009])).toBe(6);
    expect(value('double precision', [0.1 + 0.2, 576820.84000003])).toBe(2);
    expect(decimalsShown('units', 'double precision', [3])).toEqual({ least: 0, most: 2 });
  });

  it('give amounts with many decimals four significant digits', () => {
    expect(value('double precision', [1000 / 3, 1])).toBe(2);
    expect(value('numeric', [1 / 3])).toBe(4);
    expect(value('double precision', [1e-8])).toBe(6);
  });
});

it('treat an amount that rounds to zero as zero', () => {
  expect(withoutResidue(-0.004, { most: 2 })).toBe(0);
  expect(withoutResidue(-0.004, { most: 3 })).toBe(-0.004);
  expect(withoutResidue(0.4, { most: 0 })).toBe(0);
});

describe('roundedProduct', () => {
  it('rounds half away from zero by the decimal digits', () => {
    expect(roundedProduct(100.2, 0.025, 2)).toBe(2.51);
    expect(roundedProduct(-100.2, 0.025, 2)).toBe(-2.51);
    expect(roundedProduct(1.15, 0.1, 2)).toBe(0.12);
    expect(roundedProduct(10081987.87, 0.13375, 2)).toBe(1348465.88);
    expect(roundedProduct(7, 0.5, 0)).toBe(4);
    expect(roundedProduct(1e21, 2e-7, 2)).toBe(2e14);
    expect(roundedProduct(-0.001, 0.1, 2)).toBe(0);
  });
});

it('returns the size below which every amount is a distinct double', () => {
  expect(exactBelow(2)).toBe(45035996273704.96);
  expect(exactBelow(0)).toBe(2 ** 52);
  expect(decimalsWarning(17)).toBe(
    'With 17 decimals, amounts from 0.0450 on cannot be typed exactly.',
  );
  expect([null, 0, 2, 9].map(decimalsWarning)).toEqual([null, null, null, null]);
  expect(decimalsWarning(10)).not.toBeNull();
});
