import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unmarkedDimensions } from '../../slice/slice-values';
import type { EngineTable } from '../../values/engine-types';
import { ViewReader } from './view-reader';
import {
  awkwardRows,
  COLUMNS,
  DAYS,
  everyCell,
  selected,
  sum,
  tableOf,
  TEXTS,
  type LayoutUnderTest,
  type Row,
} from '../../../../../tests/support/pivot-tables';

const BUCKETS = {
  Month: `bucket("Order Date", 'M')`,
  Year: `bucket("Order Date", 'Y')`,
  Quarter: `bucket("Order Date", '3M')`,
  Both: `concat("region", "sub-category")`,
};
const columns = ['value', 'units'];

const LAYOUTS: LayoutUnderTest[] = [
  { name: 'rows by text', config: { group_by: ['region'], columns } },
  {
    name: 'text across text',
    config: { group_by: ['region'], split_by: ['sub-category'], columns },
  },
  {
    name: 'two levels across two levels',
    config: {
      group_by: ['region', 'flag'],
      split_by: ['sub-category', 'size'],
      columns: ['value'],
    },
  },
  { name: 'dates down', config: { group_by: ['Order Date', 'region'], columns } },
  { name: 'dates across', config: { group_by: ['region'], split_by: ['Order Date'], columns } },
  { name: 'booleans and numbers', config: { group_by: ['flag'], split_by: ['size'], columns } },
  { name: 'fractions across', config: { group_by: ['size'], split_by: ['rate'], columns } },
  {
    name: 'columns sorted by their totals',
    config: {
      group_by: ['region'],
      split_by: ['sub-category'],
      columns,
      sort: [['value', 'col desc']],
    },
  },
  {
    name: 'two levels of columns sorted, rows sorted the other way',
    config: {
      group_by: ['flag'],
      split_by: ['region', 'size'],
      columns: ['units'],
      sort: [
        ['units', 'col asc'],
        ['units', 'desc'],
      ],
    },
  },
  {
    name: 'sorted by columns that are not shown',
    config: {
      group_by: ['flag', 'size'],
      split_by: ['region'],
      columns,
      aggregates: { pf_id: 'min', rate: 'max' },
      sort: [
        ['pf_id', 'asc'],
        ['rate', 'col desc'],
      ],
    },
  },
  {
    name: 'rows sorted and collapsed',
    config: { group_by: ['region', 'flag', 'size'], columns, sort: [['value', 'desc']] },
    depth: 1,
  },
  {
    name: 'quarters within years across',
    config: {
      group_by: ['region'],
      split_by: ['Year', 'Quarter', 'Month'],
      columns,
      expressions: BUCKETS,
    },
  },
  {
    name: 'months down, years across',
    config: {
      group_by: ['Month', 'region'],
      split_by: ['Year'],
      columns,
      expressions: BUCKETS,
    },
  },
  {
    name: 'filtered to one value and to a list',
    config: {
      group_by: ['size'],
      split_by: ['flag'],
      columns,
      filter: [
        ['region', 'in', ['West', 'null', 'a|b']],
        ['sub-category', '==', ''],
      ],
    },
  },
  {
    name: 'filtered to a day, to 0 and to false',
    config: {
      group_by: ['region'],
      columns,
      filter: [
        ['Order Date', '==', '2019-01-31'],
        ['size', '==', 0],
        ['flag', '==', false],
      ],
    },
  },
  {
    name: 'filtered to the empty value',
    config: { group_by: ['region'], columns, filter: [['sub-category', 'is null', null]] },
  },
  {
    name: 'filtered to a month',
    config: {
      group_by: ['region'],
      columns,
      expressions: BUCKETS,
      filter: [['Month', '==', '2019-01-01']],
    },
  },
  {
    name: 'filtered to a range of days',
    config: {
      group_by: ['region'],
      split_by: ['flag'],
      columns,
      filter: [
        ['Order Date', '>=', '2019-01-31'],
        ['Order Date', '<=', '2019-12-31'],
      ],
    },
  },
  {
    name: 'filtered up to a day, and grouped by days and months',
    config: {
      group_by: ['Month', 'Order Date'],
      split_by: ['region'],
      columns,
      expressions: BUCKETS,
      filter: [['Order Date', '<=', '2019-01-31']],
    },
  },
  {
    name: 'filtered and grouped by the same column',
    config: {
      group_by: ['region', 'Order Date'],
      split_by: ['Month'],
      columns,
      expressions: BUCKETS,
      filter: [['region', 'in', ['West', 'East']]],
    },
  },
];

describe('the slice of a cell selects exactly the rows that the cell adds up', async () => {
  const rows = awkwardRows(600);
  const table = (await tableOf(rows)) as unknown as EngineTable;

  it.each(LAYOUTS)('$name', async (layout) => {
    const cells = await everyCell(table, layout);
    expect(cells.length).toBeGreaterThan(2);
    for (const cell of cells) {
      expect(cell.notHeld).toEqual([]);
      if (cell.impossible) {
        expect(cell.value).toBeNull();
        continue;
      }
      const behind = selected(rows, cell.slice);
      const where = JSON.stringify([cell.rowPath, cell.columnPath, cell.slice]);
      if (cell.value === null) expect(behind, where).toEqual([]);
      else expect(sum(behind, cell.measure as string), where).toBeCloseTo(cell.value, 6);
    }
  });

  it('holds for tables of any values', async () => {
    const text = fc.constantFrom(...TEXTS);
    const row = fc.record({
      pf_iter: fc.constant('baseline'),
      pf_note: fc.constant(null),
      region: text,
      'sub-category': text,
      'Order Date': fc.constantFrom(...DAYS),
      flag: fc.constantFrom(true, false, null),
      size: fc.constantFrom(0, 1, null),
      rate: fc.constant(null),
      value: fc.integer({ min: -1000, max: 1000 }),
      units: fc.integer({ min: 0, max: 9 }),
    });
    const dimension = fc.constantFrom(
      'region',
      'sub-category',
      'Order Date',
      'flag',
      'size',
      'Month',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 25 }),
        fc.uniqueArray(dimension, { minLength: 2, maxLength: 4 }),
        fc.boolean(),
        async (generated, dimensions, sorted) => {
          const data = generated.map((r, i) => ({ ...r, pf_id: i + 1 }));
          const own = await tableOf(data);
          const cut = 1 + (data.length % (dimensions.length - 1));
          const cells = await everyCell(own as unknown as EngineTable, {
            name: '',
            config: {
              group_by: dimensions.slice(0, cut),
              split_by: dimensions.slice(cut),
              columns: ['units'],
              expressions: { Month: BUCKETS.Month },
              sort: sorted ? [['units', 'col desc']] : [],
            },
          });
          for (const cell of cells) {
            const behind = cell.impossible ? [] : selected(data, cell.slice);
            if (cell.value === null) expect(behind).toEqual([]);
            else expect(sum(behind, 'units')).toBe(cell.value);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('a condition that a slice cannot express', async () => {
  const rows = awkwardRows(200);
  const table = (await tableOf(rows)) as unknown as EngineTable;

  it('is named, and left out of the slice', async () => {
    const cells = await everyCell(table, {
      name: '',
      config: { group_by: ['region', 'pf_iter'], split_by: ['pf_note'], columns: ['units'] },
    });
    const deep = cells.filter((cell) => cell.rowPath.length === 2);
    expect(deep.length).toBeGreaterThan(0);
    for (const cell of deep) {
      expect(Object.keys(cell.slice)).toEqual(['region']);
      expect(cell.notHeld.map(({ column }) => column)).toEqual(['pf_iter', 'pf_note']);
    }
  });

  it('is reported for filters other than lists of dimension values', async () => {
    const cells = await everyCell(table, {
      name: '',
      config: {
        group_by: ['region'],
        columns: ['units'],
        filter: [
          ['value', '>', 100],
          ['region', '!=', 'West'],
          ['pf_iter', '==', 'baseline'],
        ],
      },
    });
    for (const cell of cells) {
      expect(cell.notHeld.map(({ kind, column }) => [kind, column])).toEqual([
        ['filter', 'value'],
        ['filter', 'region'],
        ['filter', 'pf_iter'],
      ]);
    }
  });

  it('is reported for filters that are joined by "or"', async () => {
    const [total] = await everyCell(table, {
      name: '',
      config: {
        group_by: ['region'],
        columns: ['units'],
        filter_op: 'or',
        filter: [
          ['region', '==', 'West'],
          ['flag', '==', true],
        ],
      },
    });
    expect(total?.slice).toEqual({});
    expect(total?.notHeld.map(({ column }) => column)).toEqual(['region', 'flag']);
  });

  it('makes the slice impossible if the columns of an expression do not combine freely', async () => {
    const cells = await everyCell(table, {
      name: '',
      config: {
        group_by: ['Both'],
        columns: ['units'],
        expressions: { Both: BUCKETS.Both },
      },
    });
    for (const cell of cells) {
      if (cell.impossible) continue;
      expect(sum(selected(rows, cell.slice), 'units')).toBe(cell.value);
    }
    expect(cells.some((cell) => cell.impossible)).toBe(true);
  });

  it('disables dimensions that are not keys if the source has keys', async () => {
    const view = await table.view({ group_by: ['region', 'flag'], columns: ['units'] });
    const reader = await ViewReader.open(table, view, {});
    const marked = COLUMNS.map((c) => ({ ...c, is_key: c.cname === 'region' }));
    const region = await reader.cell({ x: 0, y: 1 }, marked);
    const flag = await reader.cell({ x: 0, y: 2 }, marked);
    expect(Object.keys(region.slice)).toEqual(['region']);
    expect(unmarkedDimensions(region.slice, marked)).toEqual([]);
    expect(Object.keys(flag.slice)).toEqual(['region', 'flag']);
    expect(unmarkedDimensions(flag.slice, marked)).toEqual(['flag']);
    expect(unmarkedDimensions(flag.slice, COLUMNS)).toEqual([]);
    await view.delete();
  });
});

describe('an unusual expression', async () => {
  const rows = awkwardRows(120);
  const table = (await tableOf(rows)) as unknown as EngineTable;

  it.each([
    ['rows by their place', 'index() % 3'],
    ['values of other rows', `vlookup('region', index())`],
    ['chance', `if (random() < 0.5) 'low'; else 'high'`],
  ])('is refused instead of widening the slice: %s', async (_, expression) => {
    const cells = await everyCell(table, {
      name: '',
      config: { group_by: ['Made', 'flag'], columns: ['units'], expressions: { Made: expression } },
    });
    const [total, ...others] = cells;
    expect(total).toMatchObject({ slice: {}, impossible: null });
    expect(others.length).toBeGreaterThan(3);
    for (const cell of others)
      expect(cell.impossible).toMatch(/no selection matches exactly this cell/);
  });

  it.each([
    ['an apostrophe in a comment', `// it's\nupper("region")`],
    ['a name in a comment', `upper("region") // "flag"`],
    ['a column by its name as text', `upper(col('region'))`],
    ['one value for all', `'all'`],
  ])('is translated into a slice: %s', async (_, expression) => {
    const cells = await everyCell(table, {
      name: '',
      config: { group_by: ['Made'], columns: ['units'], expressions: { Made: expression } },
    });
    for (const cell of cells) {
      expect(cell.impossible).toBeNull();
      expect(sum(selected(rows, cell.slice), 'units')).toBe(cell.value);
    }
  });
});

describe('decimals as split values that print alike', () => {
  it('are separate columns', async () => {
    const rows = awkwardRows(60).map((row, i): Row => ({
      ...row,
      rate: [100000, 100000.25, 0.3, 0.1 + 0.2][i % 4] ?? 0,
    }));
    const table = (await tableOf(rows)) as unknown as EngineTable;
    const config = { group_by: ['flag'], split_by: ['rate'], columns: ['units'] };
    for (const cell of await everyCell(table, { name: '', config })) {
      const behind = selected(rows, cell.slice);
      if (cell.value === null) expect(behind).toEqual([]);
      else expect(sum(behind, 'units')).toBe(cell.value);
    }
  });
});
