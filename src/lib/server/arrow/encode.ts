import {
  DataType,
  Dictionary,
  Field,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  makeData,
  tableFromIPC,
  type Data,
} from 'apache-arrow';
import type { Column } from './column-plan';

/**
 * One Arrow IPC stream with exactly one record batch (docs/contract/04-data-loading.md): separate
 * batches would carry independent dictionaries. No rows make no bytes.
 * @throws Error if the columns differ in length
 */
export function encode(columns: readonly Column[]): Uint8Array<ArrayBuffer> {
  const length = columns[0]?.data.length ?? 0;
  if (columns.some(({ data }) => data.length !== length)) {
    throw new Error('Columns of different lengths make no batch');
  }
  if (length === 0) return new Uint8Array(0);
  const numbered = columns.map(({ data }, i) => numberDictionary(data, i));
  const schema = new Schema(
    columns.map(({ name, data }, i) => new Field(name, numbered[i]?.type ?? data.type, true)),
  );
  const batch = new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length, nullCount: 0, children: numbered }),
  );
  const writer = new RecordBatchStreamWriter();
  writer.write(batch);
  writer.finish();
  return unshared(writer.toUint8Array(true));
}

/** The same bytes, as a type that an answer can have: memory that no other thread shares. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : new Uint8Array(bytes);
}

/** The columns of a stream that {@link encode} made. */
export function decode(bytes: Uint8Array): Column[] {
  const { schema, batches } = tableFromIPC(bytes);
  const children = batches[0]?.data.children ?? [];
  return schema.fields.flatMap(({ name }, i) => {
    const data = children[i];
    return data ? { name, data } : [];
  });
}

/** Numbers a dictionary by its column, so that the same columns always make the same bytes. */
function numberDictionary(data: Data, id: number): Data {
  if (!DataType.isDictionary(data.type)) return data;
  return data.clone(new Dictionary(data.type.dictionary, data.type.indices, id));
}
