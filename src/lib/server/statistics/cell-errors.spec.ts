import { describe, expect, it } from 'vitest';
import { CellErrors, sumByCell } from './cell-errors';

const actual = sumByCell(
  [
    { cell: 'a', amount: 60 },
    { cell: 'a', amount: 40 },
    { cell: 'b', amount: -50 },
    { cell: 'c', amount: 50 },
  ],
  0,
);

describe('The errors of a forecast over cells', () => {
  it('begin with a forecast of nothing', () => {
    expect(new CellErrors(actual, 0).errors).toEqual({ wape: 1, bias: -0.5 });
  });

  it('follow each amount, also in cells without an actual amount', () => {
    const errors = new CellErrors(actual, 0);
    errors.add({ cell: 'a', amount: 130 });
    errors.add({ cell: 'b', amount: -40 });
    errors.add({ cell: 'c', amount: 50 });
    // 30 too much in a, 10 too little negative in b.
    expect(errors.errors).toEqual({ wape: 0.2, bias: 0.2 });
    errors.add({ cell: 'd', amount: 10 });
    expect(errors.errors).toEqual({ wape: 0.25, bias: 0.25 });
  });

  it('are free of the noise of doubles', () => {
    const errors = new CellErrors(sumByCell([{ cell: 'a', amount: 0.3 }], null), null);
    errors.add({ cell: 'a', amount: 0.1 });
    errors.add({ cell: 'a', amount: 0.2 });
    expect(errors.errors).toEqual({ wape: 0, bias: 0 });
  });

  it('are unknown without an actual amount', () => {
    const errors = new CellErrors(new Map(), null);
    errors.add({ cell: 'a', amount: 1 });
    expect(errors.errors).toEqual({ wape: null, bias: null });
  });

  it.each([1, null])('are unknown if the actual amounts cancel out (decimals: %s)', (decimals) => {
    const amounts = [0.1, 0.2, -0.3].map((amount) => ({ cell: 'a', amount }));
    const none = sumByCell(amounts, decimals);
    expect([...none]).toEqual([['a', 0]]);
    const errors = new CellErrors(none, decimals);
    for (const each of amounts.slice(0, 2)) errors.add(each);
    expect(errors.errors).toEqual({ wape: null, bias: null });
  });

  it('keep the last decimal of large amounts', () => {
    const amounts = [40_000_000_000_000, -39_999_999_999_999.99].map((amount) => ({
      cell: 'a',
      amount,
    }));
    expect([...sumByCell(amounts, 2)]).toEqual([['a', 0.01]]);
  });
});
