import { tableFromIPC } from 'apache-arrow';
import { expect } from 'vitest';
import { OID, type Column, type PlannedColumn } from '../../src/lib/server/arrow/column-plan';
import { CopyDecoder } from '../../src/lib/server/arrow/decoder';
import { encode } from './encode';
import * as wire from './copy-bytes';

/** A planned column. */
export const column = (
  type: keyof typeof OID,
  use: PlannedColumn['use'] = 'dimension',
  name: string = type,
): PlannedColumn => ({ name, type: OID[type], use });

/** Decodes the bytes of a COPY in chunks of a given length. */
export function decode(
  plan: PlannedColumn[],
  bytes: Uint8Array,
  chunkLength = bytes.length,
): Column[] {
  const decoder = new CopyDecoder(plan);
  for (let at = 0; at < bytes.length; at += chunkLength) {
    decoder.write(bytes.subarray(at, at + chunkLength));
  }
  return decoder.finish();
}

/** Reads the stream of some columns with apache-arrow. */
export function arrowRows(columns: Column[]): Record<string, unknown>[] {
  const table = tableFromIPC(encode(columns));
  expect(table.batches.length).toBe(1);
  return table.toArray().map((row) => row.toJSON());
}

/** Returns the error that `work` throws. */
export const failure = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail');
};

/** One column of each kind that the decoder treats differently. */
export const MIXED: PlannedColumn[] = [
  column('text'),
  column('int8', 'key', 'pf_id'),
  column('numeric', 'measure'),
  column('date'),
  column('timestamptz'),
  column('bool'),
  column('text', 'key', 'pf_gkey'),
];
/** Row `i` of such columns, with nulls in some of them. */
export const mixedRow = (i: number): wire.Field[] => [
  i % 5 === 4 ? null : wire.text(`Region ${i % 3}`),
  wire.int8(i * 1000),
  i % 7 === 6 ? null : wire.numeric((i * 1.25 - 3).toFixed(2)),
  wire.date('2024-02-29'),
  wire.timestamp('2024-02-29T12:00:00Z', i),
  i % 3 === 2 ? null : wire.bool(i % 2 === 0),
  wire.text(`key ${i}`),
];
