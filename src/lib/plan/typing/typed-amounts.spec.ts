import { columnFromArray, float64, utf8 } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import type { ColumnEntry } from '../../contract/columns';
import { parseExpression } from '../../contract/formula-expression';
import type { SlicePreview } from '../../contract/previews';
import type { ReadCell } from '../../pivot/slice/cell';
import { Attributes } from '../../pivot/rows/attributes';
import type { PivotFormula } from '../../pivot/rows/formula-columns';
import type { MeasureEdit } from '../amounts/scale-draft';
import { CellReader } from '../selection/cell-reader';
import { PlannedVersion } from '../version/planned-version.svelte';
import { FormulaChoices } from './formula-choices.svelte';
import { TypedAmounts } from './typed-amounts';

const SETTINGS = { spread: 'proportional', shape: null, holdPrice: false } as const;
const RATES = {
  ...{ id: 1, keys: ['Currency'], attributes: [] },
  conversions: ['EUR', 'USD'].map((name) => ({ name, measure: 'Sales' })),
};

/** Returns formulas of the conversions EUR and USD of Sales, whose type fixes no decimals. */
function amountsOf(...formulas: PivotFormula[]): TypedAmounts {
  const column = (cname: string, role: string, type: string) =>
    ({ cname, role, type, label: null }) as ColumnEntry;
  const planned = new PlannedVersion({ id: 1 } as never, { id: 1 } as never, [
    column('Currency', 'dimension', 'text'),
    column('Sales', 'value', 'numeric'),
  ]);
  const rows = new Map([
    ['Currency', columnFromArray(['CHF'], utf8())],
    ...RATES.conversions.map(
      ({ name }) => [`${name}: rate`, columnFromArray([2], float64())] as const,
    ),
  ]);
  planned.joined = Attributes.of([{ lookup: RATES, rows: [rows] }], () => Promise.resolve(rows));
  const formulaOf = (name: string) => formulas.find((each) => each.name === name) ?? null;
  const reader = new CellReader(planned, { pivot: { origins: { formulaOf } } } as never);
  return new TypedAmounts(planned, reader, {} as never, new FormulaChoices());
}

const cellOf = (measure: string, value: number): ReadCell => ({
  ...{ rowPath: [], columnPath: null, measure, value, aggregate: 'sum' },
  ...{ slice: {}, listed: {}, notHeld: [], periods: new Map(), impossible: null },
});

/** The stored rows of one currency. */
function stored(value_total: number, converted: number, value_decimals: number | null = 0) {
  const conversion = { total: converted, missing: 0 };
  const conversions = { EUR: conversion, USD: conversion };
  const sums = {
    ...{ row_count: 2, value_total, units_total: null, value_decimals, units_decimals: null },
    conversions,
  };
  const none = { row_count: 0, value_total: 0, units_total: null };
  const free = { ...sums, value_gross: null, units_gross: null };
  return { ...sums, free, held: none, excluded: none, skipped: [] } satisfies SlicePreview;
}

const total = (amount: number): MeasureEdit => ({ by: 'total', amount });

describe('an amount typed into a conversion', () => {
  it('changes the measure by an amount with the decimals of its rows, at least 2', () => {
    const scale = (decimals: number | null) =>
      amountsOf().of(
        { cell: cellOf('EUR', 300), edit: total(301), stored: stored(100, 300, decimals) },
        SETTINGS,
      )?.scale;
    expect(scale(0)).toEqual({ value_incr: 0.33 });
    expect(scale(4)).toEqual({ value_incr: 0.3333 });
    expect(scale(null)?.value_incr).toBeCloseTo(1 / 3, 12);
  });

  it('has the key of the measure that it multiplies', () => {
    const { planned } = amountsOf();
    expect(['Sales', 'EUR', 'Currency'].map((name) => planned.keyBehind(name))).toEqual([
      ...['value', 'value', null],
    ]);
  });

  it('is refused if the rows add up to 0, in words that name no other measure', () => {
    const amount = amountsOf().of(
      { cell: cellOf('EUR', 7), edit: total(301), stored: stored(0, 7) },
      SETTINGS,
    );
    expect(amount?.whyNot).toBe(
      'The rows that can change add up to 0 in Sales or in its conversion, so no percentage of them gives this amount.',
    );
  });

  it('is refused if the conversion on screen is another one, by a part of a unit too', () => {
    const whyNot = (shown: number) =>
      amountsOf().of(
        { cell: cellOf('EUR', shown), edit: total(301), stored: stored(100, 300) },
        SETTINGS,
      )?.whyNot;
    expect(whyNot(300.004)).toMatch(/or in the table of a lookup/);
    expect(whyNot(300 + 1e-10)).toBeNull();
  });
});

describe('an amount typed into a formula of conversions', () => {
  const formulaOf = (name: string): PivotFormula => {
    const { expression } = parseExpression(name, null);
    if (!expression) throw new Error(name);
    return { name, measure: name, origin: 'formula', expression, format: { style: 'number' } };
  };

  it('changes their measure by an amount with the decimals of its rows', () => {
    const formula = formulaOf('EUR / 9');
    const amount = amountsOf(formula).of(
      { cell: cellOf(formula.name, 300 / 9), edit: total(34), stored: stored(100, 300) },
      SETTINGS,
    );
    expect(amount?.whyNot).toBeNull();
    expect(amount?.scale).toEqual({ value_incr: 2 });
  });

  it('is refused for two conversions of one measure, which change together', () => {
    const formula = formulaOf('EUR / USD');
    const amount = amountsOf(formula).of(
      { cell: cellOf(formula.name, 1), edit: total(2), stored: stored(100, 300) },
      SETTINGS,
    );
    expect(amount?.whyNot).toBe(
      'EUR and USD are made of Sales, so they change together, and no amount can be typed into a formula of them. Type into one of them.',
    );
  });
});
