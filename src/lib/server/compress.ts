/** Compression of answers. */
import { Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';

/**
 * Compressions of an answer, the one with the smallest result first
 * (docs/contract/04-data-loading.md#compression).
 */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Bytes that the compressor, which runs in another thread, returns at a time. */
const chunkSize = 262_144;

// Higher levels take several times as long and save a few percent.
const COMPRESSORS = {
  br: () => createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  gzip: () => createGzip({ chunkSize, level: constants.Z_BEST_SPEED }),
};

/**
 * Compresses parts one after the other, so that they are never in memory as one.
 *
 * @param onChunk gets the number of compressed bytes so far; if it throws, the compression ends
 * @throws what `onChunk` throws, or the reason of `signal`
 */
export async function compress(
  parts: readonly Uint8Array[],
  encoding: Encoding,
  onChunk: (bytes: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const compressor = Readable.from(parts).pipe(COMPRESSORS[encoding]());
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of compressor) {
    signal?.throwIfAborted();
    const compressed = new Uint8Array(chunk);
    chunks.push(compressed);
    bytes += compressed.length;
    onChunk(bytes);
  }
  return chunks;
}
