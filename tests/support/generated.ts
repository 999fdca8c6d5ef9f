import fc from 'fast-check';
import type { Cell, Change, DateRange, Slice } from './model';
import type { SourceRow, TableColumn } from './planned';

export const REGIONS = [
  'North',
  'North ',
  '',
  'null',
  'NULL',
  `O'Brien "x" \\`,
  'Zürich→日本🎉',
  null,
];
const DATES = ['2026-01-31', '2026-02-28', '2028-02-29', '2017-12-31', '2035-12-31', null];
export const NUMBERS = [0, 7, -3, null];

const region = fc.constantFrom(...REGIONS);
const date = fc.constantFrom(...DATES);
const number = fc.constantFrom(...NUMBERS);

const VALUE_TYPES = [
  'numeric(12,2)',
  'numeric',
  'double precision',
  'numeric(8,-2)',
  'integer',
  'real',
  'numeric(20,6)',
];
const UNITS_TYPES = ['smallint', 'integer', 'bigint', 'numeric(10,3)'];

/** A source: its columns and rows, how it is loaded, and which origins operations skip. */
export interface Table {
  columns: TableColumn[];
  rows: SourceRow[];
  exclude: string[];
  reference: boolean;
  twice: boolean;
}

/** Tables with any measures, and with a display grain of some columns if requested. */
export const table = (grain: boolean): fc.Arbitrary<Table> =>
  fc
    .record({
      measures: fc.oneof(
        {
          weight: 8,
          arbitrary: fc.record({
            value: fc.constantFrom(...VALUE_TYPES),
            units: fc.constantFrom(...UNITS_TYPES),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            value: fc.constantFrom(...VALUE_TYPES),
            units: fc.constant(null),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            value: fc.constant(null),
            units: fc.constantFrom(...UNITS_TYPES),
          }),
        },
      ),
      cents: fc.constantFrom(1, 100, 10_000),
      exclude: fc.constantFrom<string[]>(['reference'], ['reference'], [], ['reference', 'clone']),
      reference: fc.boolean(),
      twice: fc.boolean(),
      flags: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
      rows: fc.array(
        fc.record({
          Region: region,
          'a"b': region,
          'sub-cat': number,
          'Order Date': date,
          select: date,
          amount: fc.oneof(
            fc.integer({ min: -99_999, max: 999_999 }),
            fc.constant(0),
            fc.constant(null),
          ),
          count: fc.oneof(fc.integer({ min: -50, max: 300 }), fc.constant(0), fc.constant(null)),
        }),
        { minLength: 1, maxLength: 40 },
      ),
    })
    .map(({ measures, cents, flags, rows, ...rest }) => {
      const [a, b, c, d, e] = flags;
      const columns: TableColumn[] = [
        { name: 'Order Date', type: 'date', role: 'date', group: 'order', grain: grain && a },
        {
          name: 'Order Year',
          type: 'integer',
          role: 'dimension',
          group: 'order',
          period: 'cal_year',
          grain: grain && b,
        },
        {
          name: 'Order Month',
          type: 'text',
          role: 'dimension',
          group: 'order',
          period: 'period_key',
          grain: grain && c,
        },
        {
          name: 'Region',
          type: 'text',
          role: 'dimension',
          grain: grain && (d || !(a || b || c || e)),
        },
        { name: 'a"b', type: 'text', role: 'dimension' },
        { name: 'sub-cat', type: 'smallint', role: 'dimension', grain: grain && e },
        { name: 'select', type: 'timestamp', role: 'date' },
        { name: 'City', type: 'text', role: 'filter' },
      ];
      if (measures.value) columns.push({ name: 'Sales', type: measures.value, role: 'value' });
      if (measures.units) columns.push({ name: 'Units sold', type: measures.units, role: 'units' });
      return {
        ...rest,
        columns,
        rows: rows.map(({ amount, count, ...keys }) => ({
          ...keys,
          Sales: amount === null ? null : amount / (measures.value === 'integer' ? 1 : cents),
          'Units sold': count,
        })),
      };
    });

const day = fc.constantFrom('2017-12-31', '2026-01-31', '2026-02-15', '2028-02-29', '2035-12-31');
const range: fc.Arbitrary<DateRange> = fc.oneof(
  day.map((from) => ({ from })),
  day.map((to) => ({ to })),
  fc.tuple(day, day).map((days) => {
    const [from, to] = days.toSorted() as [string, string];
    return { from, to };
  }),
);

export const slice: fc.Arbitrary<Slice> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 5,
    arbitrary: fc.record(
      {
        Region: fc.oneof(region, fc.array(region, { minLength: 1, maxLength: 3 })),
        'sub-cat': fc.oneof(number, fc.array(number, { minLength: 1, maxLength: 2 })),
        'Order Date': fc.oneof(date, range),
        pf_iter: fc.constant('baseline'),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Slice>,
  },
);

const set: fc.Arbitrary<Record<string, Cell>> = fc.record(
  { Region: region, 'sub-cat': number, 'Order Date': date, select: date },
  { requiredKeys: [] },
);
const moving = set.filter((s) => Object.keys(s).length > 0);

const pct = fc.constantFrom(10, -100, 33.3333, 0.001, 7.5, -12.25, 100, 1e-7);
const increment = fc.oneof(
  fc.constantFrom(1000, 0.01, -37.77, 0.005, -0.004, 0.00499, 1e-7, 1e9, -50, 49, 1e12),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 100),
);
const unitIncrement = fc.oneof(
  fc.constantFrom(1, -1, 3, -7, 1000, 0.4, 2.5, -2.5, 1e9),
  fc.integer({ min: -1000, max: 1000 }),
);

/** A change that a scale makes. */
export const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ pct }),
  fc
    .tuple(
      fc.oneof(
        fc.record({ value: increment }),
        fc.record({ units: unitIncrement }),
        fc.record({ value: increment, units: unitIncrement }),
      ),
      fc.constantFrom({}, { spread: 'equal' as const }),
    )
    .map(([amounts, spread]) => ({ ...amounts, ...spread })),
  fc.record({
    value: increment.filter((amount) => amount !== 0),
    units: unitIncrement.filter((amount) => amount !== 0),
    spread: fc.constant('price' as const),
  }),
);

/** Usually nothing is held. */
export const hold: fc.Arbitrary<Slice[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Slice[]>([]) },
  { weight: 1, arbitrary: fc.array(slice, { minLength: 1, maxLength: 2 }) },
);

/** An operation, or the undo of an earlier entry. */
export type Step =
  | { do: 'scale'; slice: Slice; change: Change; hold: Slice[] }
  | { do: 'recode'; slice: Slice; set: Record<string, Cell> }
  | { do: 'clone'; slice: Slice; set: Record<string, Cell>; factor: number }
  | { do: 'undo'; which: number };

export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('scale' as const),
    slice,
    change,
    hold,
  }),
  fc.record({ do: fc.constant('recode' as const), slice, set: moving }),
  fc.record({
    do: fc.constant('clone' as const),
    slice,
    set,
    factor: fc.constantFrom(1, -1, 0.333, -0.5, 2, 1.05),
  }),
  fc.record({ do: fc.constant('undo' as const), which: fc.nat() }),
);
