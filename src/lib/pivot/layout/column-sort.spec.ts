import perspective from '@finos/perspective/node';
import { expect, it } from 'vitest';
import { parseRows } from '../values/columns-json';
import { columnSort } from './column-sort';
import type { CellValue } from '../values/engine-types';

const SCHEMA = {
  key: 'integer',
  row: 'string',
  value: 'float',
  text: 'string',
  size: 'integer',
  rate: 'float',
  flag: 'boolean',
  day: 'date',
  at: 'datetime',
} as const;
const TEXTS = ["it's", 'a\\b', '日本', '', 'null', null];
const DAYS = ['2027-01-31', '2027-06-30', '2028-02-29', '0999-12-31', null];

/** Rows with different values, so that each column sorts them in another order. */
const rows = Array.from({ length: 60 }, (_, key) => ({
  key,
  row: `r${key % 7}`,
  value: ((key * 37) % 59) - 20,
  text: TEXTS[key % TEXTS.length],
  size: (key % 4) - 2,
  rate: [0.1, 1e-7, -2.5][key % 3],
  flag: key % 5 < 2,
  day: DAYS[key % DAYS.length],
  at: key % 7 === 0 ? null : `2027-03-0${(key % 7) + 1}T10:00:00.5Z`,
}));
const expressions = { Quarter: `bucket("day", '3M')`, 'At (month)': `bucket("at", 'M')` };
const LAYOUT = { group_by: ['row'], columns: ['value'], expressions };

it('counts the amounts of each row in one column only', async () => {
  const table = await perspective.table(SCHEMA, { index: 'key' });
  await table.update(rows as never);
  const read = async (config: object) => {
    const view = await table.view(config as never);
    const { paths, columns } = parseRows(await view.to_columns_string());
    await view.delete();
    return { paths: paths ?? [], columns };
  };
  for (const name of ['text', 'size', 'rate', 'flag', 'day', 'at', 'Quarter', 'At (month)']) {
    const { paths, columns } = await read({ ...LAYOUT, group_by: [name, 'row'] });
    const sums = columns.get('value') ?? [];
    const values = paths.flatMap((path): CellValue[] => (path.length === 1 ? path : []));
    expect(values.length).toBeGreaterThan(1);
    for (const value of values) {
      const inColumn = paths.flatMap(([of, row], i) =>
        row !== undefined && of === value ? [[row, sums[i]]] : [],
      );
      const layout = { ...LAYOUT, split_by: [name] };
      const by = columnSort({ name: 'value', label: 'Value' }, [value], layout, SCHEMA);
      if (value === '日本') {
        expect(by).toBeNull();
        continue;
      }
      const sorted = await read({
        ...{ group_by: ['row'], columns: [by!.name], sort: [[by!.name, 'desc']] },
        expressions: { ...expressions, ...by!.expressions },
      });
      const counted = sorted.columns.get(by!.name) ?? [];
      const rowsCounted = sorted.paths.map(([row], i) => [row, counted[i]]).slice(1);
      const wanted = new Map(rowsCounted.map(([row]) => [row, 0]));
      for (const [row, sum] of inColumn) wanted.set(row, sum as number);
      expect(rowsCounted, `${name}: ${value}`).toEqual(
        rowsCounted.map(([row]) => [row, expect.closeTo(wanted.get(row) ?? NaN, 9)]),
      );
      const amounts = rowsCounted.map(([, amount]) => Number(amount));
      expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
    }
  }
});

it('is named after its values, and is null for values that no expression can match', () => {
  const measure = { name: 'value', label: 'Sales' };
  const of = (split_by: string[], path: CellValue[], more = {}) =>
    columnSort(measure, path, { split_by, expressions, ...more }, SCHEMA);
  const quarter = Date.UTC(2028, 0, 1);
  expect(of(['Quarter', 'text'], [quarter, ''])).toMatchObject({
    name: 'value of Q1 2028 / (blank)',
    label: 'Sales of Q1 2028 / (blank)',
  });
  // The total of a group has fewer values than there are split columns; the grand total has none.
  expect(of(['Quarter', 'text'], [quarter])?.name).toBe('value of Q1 2028');
  expect(of(['Quarter'], [])).toBeNull();
  expect(of(['text'], ['a\tb'])).toBeNull();
  expect(of(['odd'], [1], { expressions: { odd: '"size" % 2' } })).toBeNull();
  expect(of(['text'], ['a'], { aggregates: { value: 'avg' } })).toBeNull();
});
