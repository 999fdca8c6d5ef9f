import { expect, it } from 'vitest';
import { Widths } from './widths';

const column = (measure: string, x: number) => ({
  path: null,
  measure,
  leaves: [x],
  isClosed: false,
});

function widthsOver(override: Record<number, number>) {
  return new Widths({ reader: null, styleOf: () => undefined }, { _column_sizes: { override } });
}

it('keeps the widths of a layout until they are drawn, although the previous columns have other widths', () => {
  const override: Record<number, number> = { 0: 70, 1: 80 };
  const before = ['value', 'units'].map(column);
  const widths = widthsOver(override);
  widths.restore({ value: { column_size_override: 120 } });
  // Before it draws the layout's columns, the viewer saves, and the grid reads the widths of the previous
  // columns.
  widths.read();
  expect(widths.save()).toEqual({ value: { column_size_override: 120 } });
  widths.write(before);
  expect(override).toEqual({ 0: 120 });
  override[1] = 90;
  widths.read();
  expect(widths.save()).toEqual({
    value: { column_size_override: 120 },
    units: { column_size_override: 90 },
  });
});

it('has no width for a column named like a method of objects', () => {
  const override: Record<number, number> = {};
  const columns = ['hasOwnProperty', 'value'].map(column);
  const widths = widthsOver(override);
  widths.write(columns);
  expect(override).toEqual({});
  override[1] = 90;
  widths.read();
  expect(widths.save()).toEqual({ value: { column_size_override: 90 } });
});

it('reads widths of the drawn columns, while others are about to be drawn in their places', () => {
  const override: Record<number, number> = {};
  const widths = widthsOver(override);
  widths.write(['value', 'units'].map(column));
  override[0] = 70;
  widths.read();
  widths.write(['price', 'value'].map(column));
  expect(override).toEqual({ 1: 70 });
  widths.read();
  expect(widths.save()).toEqual({ value: { column_size_override: 70 } });
});
