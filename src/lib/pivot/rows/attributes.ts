/** Attributes and conversions of lookups: columns that rows do not have, made from columns that they have. */
import {
  type Column,
  columnFromArray,
  type DataType,
  dictionary,
  float64,
  utf8,
} from '@uwdata/flechette';
import { withoutNoise } from '../../contract/decimals';
import { rateName } from '../../contract/lookups';
import { DAY_MS, type Scalar } from '../../contract/primitives';
import { toScalar, valueKey } from '../values/cell-value';
import type { CellValue, ColumnType, Schema } from '../values/engine-types';
import {
  type ArrowColumns,
  columnAt,
  columnFrom,
  dictionaryOf,
  isThere,
  lengthOf,
  type Numbers,
  numbersOf,
  setThere,
} from './arrow-columns';
import { byDay, daysIn } from './days';
import { cellValueAt } from './known-values';
import { typesOf } from './rows';

/** The version that rows belong to: the pivot's own one, or one in the comparison, by its id. */
export type Side = 'own' | number;

/** A measure that rows do not have: one that they have times a rate, empty where the lookup has no rate. */
export interface PivotConversion {
  name: string;
  /** The column of the measure. */
  measure: string;
}

/** A lookup whose attributes and conversions a pivot shows. */
export interface JoinedLookup {
  id: number;
  /** The columns of the source by which it is joined, including the date of its range. */
  keys: readonly string[];
  /** The names of its attributes. */
  attributes: readonly string[];
  conversions: readonly PivotConversion[];
}

/** Reads the rows of a lookup for the rows of a version: its keys, its attributes, their ranks, and its rates. */
export type ReadLookup = (lookup: JoinedLookup, side: Side) => Promise<ArrowColumns>;

/** The combinations of key values that rows have, each with its value of an attribute. */
interface ValuesByKeys {
  /** The keys. */
  columns: readonly string[];
  /** `value` is the {@link valueKey} of the attribute's value. */
  tuples: readonly { value: string; tuple: readonly CellValue[] }[];
}

/** The values of a key that rows have, each with its value of an attribute, in the form of slices. */
interface ValuesByKey {
  key: string;
  pairs: readonly { value: Scalar | null; key: Scalar | null }[];
}

/** The code of a combination that a lookup lacks; those of others are higher. */
const UNKNOWN = 0;
/** Distance between the codes of two keys in the number of their pair. */
const PAIR = 2 ** 26;

/** The rows of one lookup: its attributes and rates by combination of key values. */
class LookupRows {
  /** The codes of the values of each key. */
  private readonly values: readonly Map<CellValue, number>[];
  /** The codes of pairs of a combination and the value of the next key. */
  private readonly pairs: readonly Map<number, number>[];
  /** The combinations by code. */
  private readonly combinations: (readonly CellValue[])[] = [[]];
  /** The columns of the lookup, with their values by code. */
  private readonly added = new Map<string, AddedColumn>();
  /** The cached {@link codesOf}, until combinations are added. */
  private codes = new WeakMap<ArrowColumns, Int32Array>();
  /** The type of the only key; undefined for several keys. */
  private keyType: ColumnType | undefined;

  constructor(readonly lookup: JoinedLookup) {
    this.values = lookup.keys.map(() => new Map());
    this.pairs = lookup.keys.slice(1).map(() => new Map());
  }

  /** The conversions whose rates are known. */
  get conversions(): readonly PivotConversion[] {
    return this.lookup.conversions.filter(({ name }) => this.added.has(rateName(name)));
  }

  /** The columns that are added to rows. */
  get names(): readonly string[] {
    const rates = this.conversions.map(({ name }) => rateName(name));
    const values = [...this.added.keys()].filter((name) => !rates.includes(name));
    return [...values, ...this.conversions.map(({ name }) => name)];
  }

  /** Adds rows of the lookup, as far as their combinations are new. */
  add(rows: ArrowColumns): void {
    const { keys } = this.lookup;
    const columns = [...rows].filter(([name]) => !keys.includes(name));
    for (const [name, column] of columns) {
      if (!this.added.has(name)) this.added.set(name, new AddedColumn(typeOf(column)));
    }
    this.codes = new WeakMap();
    const ofKeys = keys.map((key) => rows.get(key));
    if (keys.length === 1) this.keyType = typesOf(rows)[keys[0] ?? ''];
    for (let y = 0; y < lengthOf(rows); y++) {
      const combination = ofKeys.map((column) => (column ? cellValueAt(column, y) : null));
      const code = this.codeFor(combination);
      // Rows on screen keep their attributes until all rows are loaded again, and new ones get the same.
      if (this.combinations[code]) continue;
      this.combinations[code] = combination;
      for (const [name, column] of this.added) column.set(code, rows.get(name)?.at(y) ?? null);
    }
  }

  /** Returns the code of a combination, a new one for a new combination. */
  private codeFor(combination: readonly CellValue[]): number {
    return combination.reduce<number>((code, value, i) => {
      const own = codeIn(this.values[i], value);
      return i === 0 ? own : codeIn(this.pairs[i - 1], code * PAIR + own);
    }, UNKNOWN);
  }

  /** Returns the code of the combination of each row. Several calls for the same rows compute it once. */
  codesOf(columns: ArrowColumns): Int32Array {
    const codes = this.codes.get(columns) ?? this.computeCodes(columns);
    this.codes.set(columns, codes);
    return codes;
  }

  private computeCodes(columns: ArrowColumns): Int32Array {
    const length = lengthOf(columns);
    const [codes = new Int32Array(length), ...others] = this.lookup.keys.map((key, i) =>
      codesIn(columns.get(key), this.values[i] ?? new Map(), length),
    );
    for (const [i, own] of others.entries()) {
      const pairs = this.pairs[i];
      for (let y = 0; y < length; y++)
        codes[y] = pairs?.get((codes[y] ?? 0) * PAIR + (own[y] ?? 0)) ?? UNKNOWN;
    }
    return codes;
  }

  /** Returns the type of an added column. */
  typeOf(name: string): ColumnType | undefined {
    const whole = this.added.get(name)?.whole;
    return whole && typesOf(new Map([[name, whole]]))[name];
  }

  /** Returns an added column for some rows and their codes; undefined without the measure of a conversion. */
  columnOf(name: string, codes: Int32Array, rows: ArrowColumns): Column<unknown> | undefined {
    const conversion = this.conversions.find((each) => each.name === name);
    if (!conversion) return this.added.get(name)?.at(codes);
    const amounts = numbersOf(rows.get(conversion.measure));
    return amounts ? converted(amounts, this.ratesOf(conversion), codes) : undefined;
  }

  /** Returns the rates of a conversion by code; NaN for none. */
  private ratesOf({ name }: PivotConversion): Float64Array {
    const rates = this.added.get(rateName(name))?.whole;
    return Float64Array.from({ length: rates?.length ?? 0 }, (_, code) => {
      const rate = rates?.at(code);
      return typeof rate === 'number' ? rate : NaN;
    });
  }

  /** Returns the combinations with their values of an attribute; null if it is none of this lookup. */
  behind(attribute: string): ValuesByKeys | null {
    const added = this.added.get(attribute);
    if (!added || !this.lookup.attributes.includes(attribute)) return null;
    const { whole } = added;
    const tuples = this.combinations
      .map((tuple, code) => ({ tuple, value: valueKey(cellValueAt(whole, code)) }))
      .slice(UNKNOWN + 1);
    return { columns: this.lookup.keys, tuples };
  }

  /** Returns the values of the only key with those of an attribute; null for several keys, and for any other column. */
  behindKey(attribute: string): ValuesByKey | null {
    const { attributes, keys } = this.lookup;
    const [key, ...others] = keys;
    const added = this.added.get(attribute);
    if (!added || key === undefined || others.length > 0 || !attributes.includes(attribute))
      return null;
    const { whole } = added;
    const type = this.typeOf(attribute);
    const pairs = this.combinations.map(([own = null], code) => ({
      value: toScalar(cellValueAt(whole, code), type),
      key: toScalar(own, this.keyType),
    }));
    return { key, pairs: pairs.slice(UNKNOWN + 1) };
  }
}

/** A column of a lookup: its values by code, and an empty value for {@link UNKNOWN}. */
class AddedColumn {
  private readonly values: unknown[] = [null];
  private made: Column<unknown> | null = null;

  constructor(private readonly type: DataType) {}

  set(code: number, value: unknown): void {
    this.values[code] = value;
    this.made = null;
  }

  get whole(): Column<unknown> {
    this.made ??= columnFromArray(this.values, this.type);
    return this.made;
  }

  /** Returns the values for the codes of some rows. */
  at(codes: Int32Array): Column<unknown> {
    // A few rows do not need a dictionary of all values.
    if (codes.length < this.values.length) {
      const few = Array.from(codes, (code) => this.values[code] ?? null);
      return columnFromArray(few, this.type);
    }
    return columnAt(this.whole, codes);
  }
}

/**
 * The type of an added column. Texts get a dictionary. Numbers are floats: later ones may have decimals although the first
 * ones have none.
 */
function typeOf(column: Column<unknown>): DataType {
  const type = typesOf(new Map([['', column]]))[''];
  if (type === 'integer') return float64();
  return type === 'string' ? dictionary(utf8()) : column.type;
}

/** Returns amounts times the rates of their codes. An amount without a rate has no result. */
function converted(
  { values, validity }: Numbers,
  rates: Float64Array,
  codes: Int32Array,
): Column<unknown> {
  const { length } = codes;
  const results = new Float64Array(length);
  const bits = new Uint8Array(Math.ceil(length / 8));
  let nulls = 0;
  for (let y = 0; y < length; y++) {
    const rate = rates[codes[y] ?? UNKNOWN] ?? NaN;
    if (isThere(validity, y) && !Number.isNaN(rate)) {
      results[y] = Number(values[y]) * rate;
      setThere(bits, y);
    } else nulls++;
  }
  return columnFrom(float64(), results, bits, length, nulls);
}

/** Returns the code of a value, a new one for a new value. */
function codeIn<Value>(codes: Map<Value, number> | undefined, value: Value): number {
  const code = codes?.get(value) ?? (codes?.size ?? 0) + 1;
  codes?.set(value, code);
  return code;
}

/** Returns the codes of the values of a key column; if it is missing, it is empty in every row. */
function codesIn(
  column: Column<unknown> | undefined,
  known: ReadonlyMap<CellValue, number>,
  length: number,
): Int32Array {
  const codes = new Int32Array(length);
  const codeOf = (value: CellValue) => known.get(value) ?? UNKNOWN;
  if (!column) return codes.fill(codeOf(null));
  const words = dictionaryOf(column);
  const [batch] = column.data;
  if (words && batch?.values instanceof Int32Array) {
    // The texts have been decoded; iterating over the column would decode them again.
    const ofWords = Int32Array.from(words.cache(), (word) =>
      typeof word === 'string' ? codeOf(word) : UNKNOWN,
    );
    const ofEmpty = codeOf(null);
    const { values } = batch;
    const validity = batch.nullCount > 0 ? batch.validity : new Uint8Array(0);
    for (let y = 0; y < length; y++)
      codes[y] = isThere(validity, y) ? (ofWords[values[y] ?? 0] ?? UNKNOWN) : ofEmpty;
    return codes;
  }
  const days = daysIn(column);
  if (days) {
    const { values, validity } = days;
    const ofDays = byDay(values, (day) => codeOf(day * DAY_MS));
    const ofEmpty = codeOf(null);
    if (validity.length > 0)
      for (let y = 0; y < length; y++) if (!isThere(validity, y)) ofDays[y] = ofEmpty;
    return ofDays;
  }
  for (let y = 0; y < length; y++) codes[y] = codeOf(cellValueAt(column, y));
  return codes;
}

/**
 * The attributes and conversions of the lookups of a source, as columns of rows (docs/contract/24-lookups.md). A
 * combination of key values has the attributes and rates that its lookup had when the page read them first, so all rows
 * agree.
 */
export class Attributes {
  private constructor(
    private readonly lookups: readonly LookupRows[],
    private readonly read: ReadLookup,
  ) {}

  /** Without any lookup. */
  static readonly NONE = new Attributes([], () => Promise.resolve(new Map()));

  /**
   * @param lookups the lookups to join, with their rows for the version and for each version in the comparison
   * @param read reads the rows of a lookup again, for keys that were not known
   */
  static of(
    lookups: readonly { lookup: JoinedLookup; rows: readonly ArrowColumns[] }[],
    read: ReadLookup,
  ): Attributes {
    const known = lookups.map(({ lookup, rows }) => {
      const ofLookup = new LookupRows(lookup);
      for (const each of rows) ofLookup.add(each);
      return ofLookup;
    });
    return new Attributes(known, read);
  }

  /** Returns the lookups that some rows can have: they have the keys, and no columns with the same names. */
  within(columns: ArrowColumns): Attributes {
    const isJoined = ({ lookup: { keys }, names }: LookupRows) =>
      keys.every((key) => columns.has(key)) && !names.some((name) => columns.has(name));
    return new Attributes(this.lookups.filter(isJoined), this.read);
  }

  /** The names of the attributes. */
  get names(): readonly string[] {
    return this.lookups.flatMap(({ lookup, names }) =>
      lookup.attributes.filter((name) => names.includes(name)),
    );
  }

  /** The types of the attributes. */
  get types(): Schema {
    const types = this.lookups.flatMap((lookup) =>
      lookup.lookup.attributes.flatMap((name) => {
        const type = lookup.typeOf(name);
        return type ? [[name, type] as const] : [];
      }),
    );
    return Object.fromEntries(types);
  }

  /** The conversions. */
  get conversions(): readonly PivotConversion[] {
    return this.lookups.flatMap(({ conversions }) => conversions);
  }

  /**
   * Counts the amounts without a rate, by column. Columns without such amounts are left out. Amounts of the same keys
   * that cancel each other out need no rate: a recode leaves such rows.
   *
   * @param parts rows with the conversions: those from index `from` up to, but not including, `to`
   * @param shownAs returns the columns in which a conversion is shown, each with that of the amounts that it multiplies
   */
  missingRates(
    parts: readonly { columns: ArrowColumns; runs: readonly { from: number; to: number }[] }[],
    shownAs: (conversion: PivotConversion) => readonly PivotConversion[],
  ): Map<string, number> {
    const counts = new Map<string, number>();
    for (const lookup of this.lookups) {
      for (const { name, measure } of lookup.conversions.flatMap(shownAs)) {
        const byCode = new Map<number, { rows: number; total: number; gross: number }>();
        for (const { columns, runs } of parts) {
          const amounts = numbersOf(columns.get(measure));
          const results = numbersOf(columns.get(name));
          if (!amounts || !results || results.validity.length === 0) continue;
          const codes = lookup.codesOf(columns);
          for (const { from, to } of runs)
            for (let y = from; y < to; y++) {
              if (!isThere(amounts.validity, y) || isThere(results.validity, y)) continue;
              const code = codes[y] ?? UNKNOWN;
              const { rows, total, gross } = byCode.get(code) ?? { rows: 0, total: 0, gross: 0 };
              const amount = Number(amounts.values[y]);
              const added = { total: total + amount, gross: gross + Math.abs(amount) };
              byCode.set(code, { rows: rows + 1, ...added });
            }
        }
        const missing = [...byCode.values()]
          .filter(({ total, gross }) => withoutNoise(total, gross) !== 0)
          .reduce((sum, { rows }) => sum + rows, 0);
        if (missing > 0) counts.set(name, missing);
      }
    }
    return counts;
  }

  /** Returns a record by column without the columns that are added. */
  without<T>(byColumn: Readonly<Record<string, T>>): Record<string, T> {
    const added = new Set(this.lookups.flatMap(({ names }) => names));
    return Object.fromEntries(Object.entries(byColumn).filter(([name]) => !added.has(name)));
  }

  /** Whether a column is an attribute. */
  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** Returns the columns from which an attribute follows; null for any other column. */
  keysOf(name: string): readonly string[] | null {
    const found = this.lookups.find(({ lookup }) => lookup.attributes.includes(name));
    return found?.lookup.keys ?? null;
  }

  /** Returns rows with the attributes, their ranks and the conversions added. Those of unknown keys are empty. */
  extend(columns: ArrowColumns): ArrowColumns {
    if (this.lookups.length === 0) return columns;
    const extended = new Map(columns);
    for (const lookup of this.lookups) {
      const codes = lookup.codesOf(columns);
      for (const name of lookup.names) {
        const column = lookup.columnOf(name, codes, columns);
        if (column && !columns.has(name)) extended.set(name, column);
      }
    }
    return extended;
  }

  /**
   * Reads the attributes of keys that are new in some rows. If that fails, they are empty until the version is loaded
   * again: rows are never withheld for them.
   */
  async cover(columns: ArrowColumns, side: Side): Promise<void> {
    await Promise.all(
      this.lackingIn(columns).map(async (each) => {
        const rows = await this.read(each.lookup, side).catch(() => null);
        if (rows) each.add(rows);
      }),
    );
  }

  /** Returns the ids of the lookups that have not been read for the keys of some rows. */
  lacking(columns: ArrowColumns): number[] {
    return this.lackingIn(columns).map(({ lookup }) => lookup.id);
  }

  /** Adds rows of a lookup, as far as their keys are new. */
  add(id: number, rows: ArrowColumns): void {
    this.lookups.find(({ lookup }) => lookup.id === id)?.add(rows);
  }

  private lackingIn(columns: ArrowColumns): LookupRows[] {
    return this.lookups.filter((each) => each.codesOf(columns).includes(UNKNOWN));
  }

  /** Returns the combinations of key values that rows have, with their values of an attribute; null for any other column. */
  behind(name: string): ValuesByKeys | null {
    return this.lookups.map((each) => each.behind(name)).find((each) => each !== null) ?? null;
  }

  /** Returns the same in the form of slices for an attribute with one key; null for any other column. */
  behindKey(name: string): ValuesByKey | null {
    return this.lookups.map((each) => each.behindKey(name)).find((each) => each !== null) ?? null;
  }
}
