import { expect, it } from 'vitest';
import { commonUnit, type ColumnFormat } from './column-format';

const inFull: ColumnFormat = {};
const inThousands: ColumnFormat = { divisor: 1e3 };
const percent: ColumnFormat = { number_format: { style: 'percent' } };

it.each<[string, ColumnFormat[], string | null]>([
  ['amounts in thousands and percentages', [inThousands, inThousands, percent], 'in thousands'],
  ['averages in thousands', [{ divisor: 1e3, aggregate: 'avg' }], 'average in thousands'],
  ['amounts in thousands beside a price in full', [inThousands, inFull], null],
  ['amounts in thousands and in millions', [inThousands, { divisor: 1e6 }], null],
  ['amounts in full', [inFull, inFull], null],
  ['percentages alone', [percent], null],
  ['no columns', [], null],
])('finds the common unit of %s', (_, formats, unit) => {
  expect(commonUnit(formats)).toBe(unit);
});
