/** Encodes columns as an Arrow stream with one record batch. */
import {
  AsyncByteQueue,
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
import type { BlockColumn } from './blocks';
import type { Column } from './column-plan';
import { Placeholders, rowsIn } from './placeholders';

/**
 * Encodes columns as one Arrow IPC stream with exactly one record batch. Several batches would have
 * independent dictionaries (docs/contract/04-data-loading.md). Without rows the stream is empty.
 *
 * @param metadata metadata of the schema
 * @returns the bytes in parts. Most parts are the memory of the columns themselves: copying a million rows
 * would block the event loop for a tenth of a second and double their memory
 * @throws Error if the columns differ in length
 */
export const encodeParts = (
  columns: readonly Column[],
  metadata: Record<string, string> = {},
): Uint8Array[] =>
  encodeBlocks(
    columns.map(({ name, data }) => ({ name, blocks: [data] })),
    metadata,
  );

/** Like {@link encodeParts}, for columns of several blocks. Each column has at least one block. */
export function encodeBlocks(
  columns: readonly BlockColumn[],
  metadata: Record<string, string> = {},
): Uint8Array[] {
  const length = rowsIn(columns[0]?.blocks ?? []);
  if (columns.some(({ blocks }) => rowsIn(blocks) !== length)) {
    throw new Error('Columns of different lengths make no batch');
  }
  if (length === 0) return [];
  const placeholders = new Placeholders();
  const children = columns.map(({ blocks }, i) => numberDictionary(placeholders.dataOf(blocks), i));
  const schema = new Schema(
    columns.flatMap(({ name }, i) => {
      const type = children[i]?.type;
      return type ? new Field(name, type, true) : [];
    }),
    new Map(Object.entries(metadata)),
  );
  const batch = new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }),
  );
  const parts = new Parts();
  const writer = new RecordBatchStreamWriter();
  writer.reset(parts);
  writer.write(batch);
  writer.finish();
  return parts.written.flatMap((part) => placeholders.partsOf(part));
}

/** Total length of all parts, in bytes. */
export const lengthOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

/** Collects the output of a writer without copying it. The writer's own sinks copy it or are asynchronous. */
class Parts extends AsyncByteQueue {
  readonly written: Uint8Array[] = [];

  override write(part: Uint8Array): void {
    this.written.push(part);
  }
}

/** Reads the columns of a stream that {@link encodeParts} made. */
export function decode(bytes: Uint8Array): Column[] {
  const { schema, batches } = tableFromIPC(bytes);
  const children = batches[0]?.data.children ?? [];
  return schema.fields.flatMap(({ name }, i) => {
    const data = children[i];
    return data ? { name, data } : [];
  });
}

/** Uses the column's position as the dictionary id, so that equal columns encode to equal bytes. */
function numberDictionary(data: Data, id: number): Data {
  if (!DataType.isDictionary(data.type)) return data;
  return data.clone(new Dictionary(data.type.dictionary, data.type.indices, id));
}
