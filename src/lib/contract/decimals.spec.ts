import { describe, expect, it } from 'vitest';
import { decimalsOf, movePoint, roundTo } from './decimals';

describe('decimalsOf', () => {
  it('tells the decimals that a type fixes', () => {
    expect(['smallint', 'integer', 'bigint'].map(decimalsOf)).toEqual([0, 0, 0]);
    expect(decimalsOf('numeric(12,3)')).toBe(3);
    expect(decimalsOf('numeric(10,0)')).toBe(0);
    expect(decimalsOf('numeric(8,-2)')).toBe(-2);
  });

  it('tells nothing of other types', () => {
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
