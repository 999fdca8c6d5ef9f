/** Chooses the builder and the Arrow type of each column of a COPY. */
import type { Data, DataType } from 'apache-arrow';
import type { ColumnBuilder } from './builder';
import {
  BoolBuilder,
  Float64Builder,
  IntegerBuilder,
  float4,
  float8,
  int2,
  int4,
  int8,
  numericDimension,
  type ReadNumber,
} from './numbers';
import { numericToDouble } from './numeric';
import { DictionaryBuilder, TextBuilder } from './texts';
import { DateBuilder, TimestampBuilder } from './times';

/** A finished column: its name and its rows as Arrow data. */
export interface Column<T extends DataType = DataType> {
  name: string;
  data: Data<T>;
}

/** OIDs of the types that can be decoded. A select casts every other type to text. */
export const OID = {
  bool: 16,
  name: 19,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  float4: 700,
  float8: 701,
  bpchar: 1042,
  varchar: 1043,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
} as const;

/**
 * One column of a COPY, in the order of the select.
 * - `measure`: the pivot sums it. A finite number, always Float64.
 * - `amount`: a measure written in the same transaction. It may be infinite, since a numeric holds larger
 * numbers than a double. The caller checks all amounts and refuses the write.
 * - `dimension`: the pivot groups by it. Text becomes a dictionary; an integer becomes Int32 if every value
 * fits.
 * - `key`: nearly or fully unique. It is treated like a dimension, but text gets no dictionary, which would
 * take more memory than it saves.
 */
export interface PlannedColumn {
  name: string;
  /** OID of the type, one of {@link OID}. */
  type: number;
  use: 'measure' | 'amount' | 'dimension' | 'key';
}

/** Names of the columns that {@link IntegerBuilder} makes: Int32 if all values fit, Float64 otherwise. */
export const integerColumns = (plan: readonly PlannedColumn[]): ReadonlySet<string> =>
  new Set(
    plan.flatMap(({ name, type, use }) => {
      const isInteger = [OID.int2, OID.int4, OID.int8].some((integer) => integer === type);
      return isInteger && (use === 'dimension' || use === 'key') ? name : [];
    }),
  );

const readMeasure: Record<number, ReadNumber> = {
  [OID.int2]: int2,
  [OID.int4]: int4,
  [OID.int8]: int8,
  [OID.float4]: float4,
  [OID.float8]: float8,
  [OID.numeric]: numericToDouble,
};

/**
 * Makes the builder for a column.
 * @throws Error for a type that no builder decodes, and for a measure that is not numeric
 */
export function makeBuilder({ name, type, use }: PlannedColumn): ColumnBuilder {
  if (use === 'measure' || use === 'amount') {
    const read = readMeasure[type];
    if (!read) throw new Error(`A measure of type ${type}: ${name}`);
    return new Float64Builder(name, read, use === 'measure');
  }
  switch (type) {
    case OID.int2:
      return new IntegerBuilder(name, 2);
    case OID.int4:
      return new IntegerBuilder(name, 4);
    case OID.int8:
      return new IntegerBuilder(name, 8);
    case OID.numeric:
      return new Float64Builder(name, numericDimension(name));
    case OID.float4:
      return new Float64Builder(name, float4);
    case OID.float8:
      return new Float64Builder(name, float8);
    case OID.bool:
      return new BoolBuilder();
    case OID.date:
      return new DateBuilder(name);
    case OID.timestamp:
    case OID.timestamptz:
      return new TimestampBuilder(name);
    case OID.text:
    case OID.varchar:
    case OID.bpchar:
    case OID.name:
      return use === 'key' ? new TextBuilder() : new DictionaryBuilder();
    default:
      throw new Error(`Column ${name} has type ${type}, which the select has to cast to text`);
  }
}
