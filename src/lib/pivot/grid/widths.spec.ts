import { expect, it } from 'vitest';
import { Widths } from './widths';

it('knows no width of a column that nobody gave one, whatever it is called', () => {
  const override: Record<number, number> = {};
  const columns = ['hasOwnProperty', 'value'].map((measure, x) => ({
    path: null,
    measure,
    leaves: [x],
    isClosed: false,
  }));
  const widths = new Widths(
    { reader: null, styleOf: () => undefined },
    { _column_sizes: { override } },
  );
  widths.write(columns);
  expect(override).toEqual({});
  override[1] = 90;
  widths.read(columns);
  expect(widths.save()).toEqual({ value: { column_size_override: 90 } });
});
