import { batchType, Column, Type, type TypedArray } from '@uwdata/flechette';
import { dictionaryOf, isThere, setThere, type ArrowColumns } from './rows/arrow-columns';
import { nextTask } from './next-task';

/** After so many values, the page gets a turn. */
const VALUES_PER_TURN = 200_000;

/**
 * The rows in some places of columns, in this order, in memory of their own: that of the columns can go.
 *
 * @param columns each of numbers, days, times, yes and no, texts or a dictionary
 */
export async function rowsAt(columns: ArrowColumns, places: Int32Array): Promise<ArrowColumns> {
  const taken = new Map<string, Column<unknown>>();
  let values = 0;
  for (const [name, column] of columns) {
    if (values > VALUES_PER_TURN) {
      await nextTask();
      values = 0;
    }
    taken.set(name, columnAt(column, places));
    values += places.length;
  }
  return taken;
}

/** The values in some places of a column; see {@link rowsAt}. */
export function columnAt(column: Column<unknown>, places: Int32Array): Column<unknown> {
  const [batch] = column.data;
  if (!batch) return column;
  const { type, values, offsets, nullCount } = batch;
  const there = bitsAt(nullCount > 0 ? batch.validity : new Uint8Array(0), places);
  const Batch = batchType(type);
  const taken = new Batch({
    type,
    length: places.length,
    nullCount: places.length - there.set,
    validity: there.bits,
    ...(offsets instanceof Int32Array && values instanceof Uint8Array
      ? textsAt(values, offsets, places)
      : { values: type.typeId === Type.Bool ? bitsOf(values, places) : numbersAt(values, places) }),
  });
  const dictionary = dictionaryOf(column);
  if (dictionary) taken.setDictionary(columnAt(dictionary, placesOf(dictionary)));
  return new Column([taken], type);
}

const placesOf = ({ length }: Column<unknown>): Int32Array =>
  Int32Array.from({ length }, (_, y) => y);

/** A bit per place, set if that of its row is; without bits, all are. */
function bitsAt(bits: Uint8Array, places: Int32Array): { bits: Uint8Array; set: number } {
  const { length } = places;
  const made = new Uint8Array(Math.ceil(length / 8));
  if (bits.length === 0) return { bits: made.fill(0xff), set: length };
  let set = 0;
  for (let i = 0; i < length; i++) {
    if (!isThere(bits, places[i] ?? 0)) continue;
    setThere(made, i);
    set++;
  }
  return { bits: made, set };
}

const bitsOf = (values: TypedArray, places: Int32Array): Uint8Array =>
  values instanceof Uint8Array ? bitsAt(values, places).bits : new Uint8Array(0);

function numbersAt(values: TypedArray, places: Int32Array): TypedArray {
  const { length } = places;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const made = values.slice(0, length);
    for (let i = 0; i < length; i++) made[i] = values[places[i] ?? 0] ?? 0n;
    return made;
  }
  const made = values.slice(0, length);
  for (let i = 0; i < length; i++) made[i] = values[places[i] ?? 0] ?? 0;
  return made;
}

function textsAt(
  values: Uint8Array,
  offsets: Int32Array,
  places: Int32Array,
): { values: Uint8Array; offsets: Int32Array } {
  const { length } = places;
  const starts = new Int32Array(length + 1);
  for (let i = 0; i < length; i++) {
    const y = places[i] ?? 0;
    starts[i + 1] = (starts[i] ?? 0) + (offsets[y + 1] ?? 0) - (offsets[y] ?? 0);
  }
  const made = new Uint8Array(starts[length] ?? 0);
  for (let i = 0; i < length; i++) {
    const y = places[i] ?? 0;
    made.set(values.subarray(offsets[y], offsets[y + 1]), starts[i]);
  }
  return { values: made, offsets: starts };
}
