import { expect, it } from 'vitest';
import { readFormats } from '../../values/column-format';
import { readSettings } from './settings';

it('reads the formats of columns of any name, and leaves out invalid ones', () => {
  const number_format = { minimumFractionDigits: 1 };
  const formats = readFormats({
    constructor: { number_format },
    hasOwnProperty: { number_format },
    wrong: { number_format: { minimumFractionDigits: -1 } },
    other: { color: 'red' },
  });
  expect([...formats]).toEqual([
    ['constructor', { number_format }],
    ['hasOwnProperty', { number_format }],
  ]);
  expect(readFormats(null).size).toBe(0);
});

it('reads the widths of columns, and none if there are none', () => {
  const columns = { constructor: { column_size_override: 90 }, value: {} };
  expect(readSettings({ columns })).toEqual(columns);
  expect(readSettings({ scroll_lock: false })).toEqual({});
  expect(readSettings(null)).toEqual({});
});
