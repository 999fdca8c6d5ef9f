import { columnFromArray, dateDay, dictionary, float64, int32, utf8 } from '@uwdata/flechette';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../contract/primitives';
import { columnsIn, dictionaryOf, encoded, type ArrowColumns } from './arrow-columns';
import { Attributes, type JoinedLookup, type PivotConversion } from './attributes';
import { Origins } from './origins';

const texts = (...values: (string | null)[]) => columnFromArray(values, dictionary(utf8()));
const numbers = (...values: (number | null)[]) => columnFromArray(values, int32());
const days = (...values: (number | null)[]) =>
  columnFromArray(
    values.map((day) => day && day * DAY_MS),
    dateDay(),
  );
const columns = (named: Record<string, ReturnType<typeof texts>>): ArrowColumns =>
  columnsIn(encoded(new Map(Object.entries(named))));
const valuesOf = (rows: ArrowColumns, name: string) => [...(rows.get(name) ?? [])];

const PRODUCTS: JoinedLookup = {
  id: 1,
  keys: ['product'],
  attributes: ['Family', 'Size'],
  conversions: [],
};
const FAMILIES = columns({
  product: texts('stool', 'desk', '', 'null', null),
  Family: texts('Chairs', 'Tables', 'null', null, ''),
  Size: numbers(1, 2, 0, null, 3),
  'Size: order': numbers(0, 1, 2, null, 3),
});

const nothing = () => Promise.resolve<ArrowColumns>(new Map());
const joined = (lookup: JoinedLookup, ...rows: ArrowColumns[]) =>
  Attributes.of([{ lookup, rows }], nothing);

describe('the attributes of rows', () => {
  it('follow from a key, and are empty for a key that the lookup lacks', () => {
    const rows = columns({ product: texts('desk', 'stool', null, '', 'null', 'lamp', 'desk') });
    const extended = joined(PRODUCTS, FAMILIES).extend(rows);
    expect([...extended.keys()]).toEqual(['product', 'Family', 'Size', 'Size: order']);
    expect(valuesOf(extended, 'Family')).toEqual([
      ...['Tables', 'Chairs', '', 'null', null],
      ...[null, 'Tables'],
    ]);
    expect(valuesOf(extended, 'Size')).toEqual([2, 1, 3, 0, null, null, 2]);
    expect(extended.get('Family')?.nullCount).toBe(2);
    expect(dictionaryOf(extended.get('Family') ?? texts())).toBeDefined();
  });

  it('keep the decimals of numbers that come after whole ones', () => {
    const attributes = joined(PRODUCTS, FAMILIES);
    attributes.add(
      1,
      columns({
        product: texts('bench'),
        Family: texts('Chairs'),
        Size: columnFromArray([1.5], float64()),
        'Size: order': numbers(0),
      }),
    );
    expect(attributes.types).toEqual({ Family: 'string', Size: 'float' });
    const extended = attributes.extend(columns({ product: texts('bench', 'desk') }));
    expect(valuesOf(extended, 'Size')).toEqual([1.5, 2]);
  });

  it('are those of the empty key if rows lack the column of the key', () => {
    const extended = joined(PRODUCTS, FAMILIES).extend(columns({ units: numbers(1, 2) }));
    expect(valuesOf(extended, 'Family')).toEqual(['', '']);
  });

  it('follow from several keys together, such as a text, a number and a day', () => {
    const key = fc.tuple(
      fc.constantFrom('a', 'b', '', null),
      fc.constantFrom(0, 1, -1, null),
      fc.constantFrom(0, 1, 20_000, -2_000_000, null),
    );
    const keysOf = (rows: [string | null, number | null, number | null][]) => ({
      text: texts(...rows.map(([text]) => text)),
      number: numbers(...rows.map(([, number]) => number)),
      day: days(...rows.map(([, , day]) => day)),
    });
    const lookup: JoinedLookup = {
      id: 1,
      keys: ['text', 'number', 'day'],
      attributes: ['Name'],
      conversions: [],
    };
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { selector: (each) => JSON.stringify(each), maxLength: 40 }),
        fc.array(key, { minLength: 1, maxLength: 60 }),
        (known, rows) => {
          const names = known.map((_, i) => `name ${i}`);
          const answer = columns({ ...keysOf(known), Name: texts(...names) });
          const extended = joined(lookup, answer).extend(columns(keysOf(rows)));
          const byKey = new Map(known.map((each, i) => [JSON.stringify(each), names[i]]));
          expect(valuesOf(extended, 'Name')).toEqual(
            rows.map((each) => byKey.get(JSON.stringify(each)) ?? null),
          );
        },
      ),
    );
  });

  it('stay the same for a known key if the lookup is read again', () => {
    const changed = columns({ product: texts('desk', 'lamp'), Family: texts('Lamps', 'Lamps') });
    const extended = joined(PRODUCTS, FAMILIES, changed).extend(
      columns({ product: texts('desk', 'lamp') }),
    );
    expect(valuesOf(extended, 'Family')).toEqual(['Tables', 'Lamps']);
    expect(valuesOf(extended, 'Size')).toEqual([2, null]);
  });

  it('are read again for rows with a new key only', async () => {
    const asked: unknown[] = [];
    const attributes = Attributes.of([{ lookup: PRODUCTS, rows: [FAMILIES] }], ({ id }, side) => {
      asked.push([id, side]);
      return Promise.resolve(columns({ product: texts('lamp'), Family: texts('Lamps') }));
    });
    await attributes.cover(columns({ product: texts('desk', null) }), 'own');
    expect(asked).toEqual([]);
    const rows = columns({ product: texts('lamp') });
    await attributes.cover(rows, 7);
    expect(asked).toEqual([[1, 7]]);
    expect(valuesOf(attributes.extend(rows), 'Family')).toEqual(['Lamps']);
  });

  it('are added for keys that only a preview knows', () => {
    const attributes = joined(PRODUCTS, FAMILIES);
    const rows = columns({ product: texts('lamp', 'desk') });
    expect(attributes.lacking(columns({ product: texts('desk') }))).toEqual([]);
    expect(attributes.lacking(rows)).toEqual([1]);
    attributes.add(1, columns({ product: texts('lamp'), Family: texts('Lamps') }));
    expect(attributes.lacking(rows)).toEqual([]);
    expect(valuesOf(attributes.extend(rows), 'Family')).toEqual(['Lamps', 'Tables']);
  });

  it('are empty for a new key if the lookup cannot be read', async () => {
    const attributes = Attributes.of([{ lookup: PRODUCTS, rows: [FAMILIES] }], () =>
      Promise.reject(new Error('gone')),
    );
    const rows = columns({ product: texts('lamp', 'desk') });
    await attributes.cover(rows, 'own');
    expect(valuesOf(attributes.extend(rows), 'Family')).toEqual([null, 'Tables']);
  });
});

describe('the conversions of rows', () => {
  const ofPlan = (conversion: PivotConversion) => [conversion];
  const floats = (...values: (number | null)[]) => columnFromArray(values, float64());
  const RATES: JoinedLookup = {
    ...{ id: 2, keys: ['currency'], attributes: [] },
    conversions: [
      { name: 'EUR', measure: 'sales' },
      { name: 'EUR, constant', measure: 'sales' },
    ],
  };
  const rates = columns({
    currency: texts('USD', 'EUR', 'GBP', null),
    'EUR: rate': numbers(2, 1, null, 3),
    'EUR, constant: rate': floats(0.5, 1, 1.25, null),
  });
  const rows = columns({
    currency: texts('USD', 'USD', 'EUR', 'GBP', 'JPY', null),
    sales: floats(10, null, 7.5, 4, 5, 6),
  });

  it('are amounts times the rate of their key, and empty without an amount or a rate', () => {
    const extended = joined(RATES, rates).extend(rows);
    expect([...extended.keys()]).toEqual(['currency', 'sales', 'EUR', 'EUR, constant']);
    expect(valuesOf(extended, 'EUR')).toEqual([20, null, 7.5, null, null, 18]);
    expect(valuesOf(extended, 'EUR, constant')).toEqual([5, null, 7.5, 5, null, null]);
  });

  it('have decimals although the rates that were read first have none', () => {
    const later = columns({ currency: texts('JPY'), 'EUR: rate': floats(0.25) });
    const extended = joined(RATES, rates, later).extend(rows);
    expect(valuesOf(extended, 'EUR')).toEqual([20, null, 7.5, null, 1.25, 18]);
  });

  it('count the amounts without a rate, in the rows that are asked for', () => {
    const attributes = joined(RATES, rates);
    const extended = attributes.extend(rows);
    const missing = (from: number, to: number) => [
      ...attributes.missingRates([{ columns: extended, runs: [{ from, to }] }], ofPlan),
    ];
    expect(missing(0, 6)).toEqual([
      ['EUR', 2],
      ['EUR, constant', 2],
    ]);
    expect(missing(0, 3)).toEqual([]);
    expect(missing(3, 4)).toEqual([['EUR', 1]]);
  });

  it('need no rate for amounts of the same keys that cancel each other out', () => {
    const attributes = joined(RATES, rates);
    const moved = columns({
      currency: texts('GBP', 'USD', 'GBP', 'GBP', 'JPY'),
      sales: floats(0.1, 9, 0.2, -0.3, 0.3),
    });
    const missing = (to: number) => [
      ...attributes.missingRates(
        [{ columns: attributes.extend(moved), runs: [{ from: 0, to }] }],
        ofPlan,
      ),
    ];
    expect(missing(4)).toEqual([]);
    expect(missing(5)).toEqual([
      ['EUR', 1],
      ['EUR, constant', 1],
    ]);
    expect(missing(3)).toEqual([['EUR', 2]]);
  });

  it('count amounts of the reference without a rate under the column of the reference', () => {
    const attributes = joined(RATES, rates);
    const stored = columns({
      currency: texts('USD', 'GBP', 'GBP', 'GBP'),
      sales: floats(1, 2, 3, 4),
      pf_iter: texts('baseline', 'reference', 'reference', 'baseline'),
    });
    const measures = ['sales', ...RATES.conversions.map(({ name }) => name)];
    const loaded = Origins.prepare(attributes.extend(stored), measures, ['reference']);
    const parts = [{ columns: loaded.columns, runs: [{ from: 0, to: 4 }] }];
    const missing = attributes.missingRates(parts, ({ name, measure }) => [
      { name, measure },
      ...loaded.origins.besidePlan(name, measure),
    ]);
    expect([...missing]).toEqual([
      ['EUR', 1],
      ['EUR: reference', 2],
    ]);
  });

  it('are no columns of rows without their measure, and none that a loaded schema has', () => {
    const attributes = joined(RATES, rates);
    const extended = attributes.extend(columns({ currency: texts('USD') }));
    expect([...extended.keys()]).toEqual(['currency']);
    expect(attributes.names).toEqual([]);
    expect(attributes.without({ sales: 1, EUR: 2, 'EUR, constant': 3 })).toEqual({ sales: 1 });
  });
});

describe('the lookups of rows', () => {
  it('need their keys in the rows, and names that no column of the rows has', () => {
    const attributes = joined(PRODUCTS, FAMILIES);
    const namesWithin = (...names: string[]) =>
      attributes.within(columns(Object.fromEntries(names.map((name) => [name, texts('x')])))).names;
    expect(namesWithin('product', 'region')).toEqual(['Family', 'Size']);
    expect(namesWithin('region')).toEqual([]);
    expect(namesWithin('product', 'Family')).toEqual([]);
  });

  it('name the keys behind the values of an attribute', () => {
    const attributes = joined(PRODUCTS, FAMILIES);
    expect(attributes.behind('Family')).toEqual({
      columns: ['product'],
      tuples: [
        { value: '"Chairs"', tuple: ['stool'] },
        { value: '"Tables"', tuple: ['desk'] },
        { value: '"null"', tuple: [''] },
        { value: 'null', tuple: ['null'] },
        { value: '""', tuple: [null] },
      ],
    });
    expect(attributes.behind('product')).toBeNull();
    expect(attributes.behind('Size: order')).toBeNull();
  });
});
