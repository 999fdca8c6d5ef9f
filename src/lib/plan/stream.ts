import { ApiError } from '../client/api';

/** How far a download is. `total` is null where the size cannot be known before the end. */
export interface Progress {
  bytes: number;
  total: number | null;
  rows: number | null;
}

export interface Download {
  /** The Arrow stream; null for the zero-length answer of an empty version. */
  bytes: ArrayBuffer | null;
  rows: number | null;
}

/** Too many rows for a browser; the message says what to do instead. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

const UPDATE_INTERVAL_MS = 100;
/** A text key costs the engine far more than a number: 2 M of them hang the tab. */
const MAX_ROWS = { text: 2_000_000, number: 5_000_000 } as const;

/**
 * Reads an Arrow download (docs/contract/04-data-loading.md), telling its progress at once, at the
 * end, and at most once in 100 ms between.
 *
 * @param key whether the rows will be indexed on a text or a number: text has the lower limit
 * @throws TooLargeError before the body is read, where it has too many rows
 * @throws ApiError with status 0 where the connection is cut half way
 */
export async function readDownload(
  response: Response,
  key: 'text' | 'number',
  onProgress: (progress: Progress) => void,
): Promise<Download> {
  const rows = numberHeader(response, 'x-row-count');
  if (rows !== null && rows > MAX_ROWS[key]) {
    await response.body?.cancel();
    throw new TooLargeError(tooLarge(rows, key));
  }
  // Where the body is compressed, its length is not that of the bytes that arrive here.
  const encoded = response.headers.get('content-encoding');
  const total = encoded && encoded !== 'identity' ? null : numberHeader(response, 'content-length');

  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let told = -Infinity;
  const tell = () => {
    told = performance.now();
    onProgress({ bytes, total, rows });
  };
  tell();
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) break;
      chunks.push(part.value);
      bytes += part.value.byteLength;
      if (performance.now() - told >= UPDATE_INTERVAL_MS) tell();
    }
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, CUT);
  }
  if (total !== null && bytes < total) throw new ApiError(0, CUT);
  tell();
  return { bytes: bytes === 0 ? null : joined(chunks, bytes), rows };
}

const CUT = 'The connection was cut before all rows had arrived.';

function tooLarge(rows: number, key: 'text' | 'number'): string {
  const counted = rows.toLocaleString('en-US');
  const remedy =
    key === 'text'
      ? 'Ask the administrator to set a coarser display grain for this source.'
      : 'Ask the administrator to set a display grain for this source: it loads sums instead of single rows.';
  return `This version has ${counted} rows, more than a browser can hold. ${remedy}`;
}

function numberHeader(response: Response, name: string): number | null {
  const text = response.headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function joined(chunks: readonly Uint8Array[], length: number): ArrayBuffer {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all.buffer;
}
