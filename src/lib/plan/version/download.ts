/** Downloads the rows of a version, with progress and limits. */
import * as api from '../../client/api';
import { ApiError } from '../../client/http';
import type { ColumnEntry } from '../../contract/columns';
import { hasGrain } from '../../contract/columns';
import type { History } from '../../contract/primitives';
import { ARROW_LENGTH_HEADER } from '../../contract/primitives';

/** Progress of a download. `total` is null if the size cannot be known before the end. */
export interface Progress {
  bytes: number;
  total: number | null;
  rows: number | null;
}

interface Download {
  /** The Arrow stream; null for the zero-length answer of an empty version. */
  bytes: ArrayBuffer | null;
  rows: number | null;
  /** The history of the database that the rows belong to. */
  history: History;
}

/** Thrown for more rows than a browser can hold; the message says what to do instead. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

const UPDATE_INTERVAL_MS = 100;
/**
 * Maximum number of rows by type of key. Text keys cost the engine far more: 2,000,000 of them hang the tab.
 */
const MAX_ROWS = { text: 1_999_999, number: 5_000_000 } as const;

/** A version's rows, and the column to index them on. */
interface DownloadedRows extends Download {
  index: 'pf_id' | 'pf_gkey';
  /** Whether the source has a display grain, but single rows were loaded instead. */
  fellBack: boolean;
}

/** The rows of a version to download, and the number of rows that the table holds already. */
interface DownloadExtent {
  /** The log entries whose rows to download, at most 100; an empty list stands for all. */
  logids: readonly number[];
  beside: number;
}

/**
 * Downloads a version's rows: at the source's display grain, or single rows if it has none. Falls back to
 * single rows if the SQL of the grain is not generated yet (docs/contract/04-data-loading.md).
 *
 * @throws TooLargeError, and ApiError as {@link readDownload} does
 */
export async function downloadRows(
  versionId: number,
  columns: readonly ColumnEntry[],
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
  { logids, beside }: DownloadExtent = { logids: [], beside: 0 },
): Promise<DownloadedRows> {
  const grain = hasGrain(columns);
  if (grain) {
    try {
      const response = await api.loadRows(versionId, 'agg', { signal, logids });
      const download = await readDownload(response, 'text', onProgress, beside);
      return { ...download, index: 'pf_gkey', fellBack: false };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }
  const response = await api.loadRows(versionId, 'data', { signal, logids });
  const download = await readDownload(response, 'number', onProgress, beside);
  return { ...download, index: 'pf_id', fellBack: grain };
}

/**
 * Reads an Arrow download (docs/contract/04-data-loading.md). Reports its progress at the start, and then at
 * most once per 100 ms (docs/contract/10-authentication-and-limits.md#limits). A last part within 100 ms of a
 * report is not reported, because the caller has all rows then.
 *
 * @param key whether the rows will be indexed on a text or a number; text has the lower limit
 * @param beside number of rows of another version that the table must also hold
 * @throws TooLargeError before the body is read, if there are too many rows
 * @throws ApiError with status 0 if the connection breaks during the download
 */
export async function readDownload(
  response: Response,
  key: 'text' | 'number',
  onProgress: (progress: Progress) => void,
  beside = 0,
): Promise<Download> {
  const rows = numberHeader(response, 'x-row-count');
  if (rows !== null && rows + beside > MAX_ROWS[key]) {
    await response.body?.cancel();
    throw new TooLargeError(tooLarge(rows + beside, key, beside > 0));
  }
  // The length of a compressed body is not the number of bytes that arrive here.
  const encoded = response.headers.get('content-encoding');
  const total =
    encoded && encoded !== 'identity'
      ? numberHeader(response, ARROW_LENGTH_HEADER)
      : numberHeader(response, 'content-length');

  const received = new Received(total);
  let told = -Infinity;
  const tell = () => {
    const now = performance.now();
    if (now - told < UPDATE_INTERVAL_MS) return;
    told = now;
    onProgress({ bytes: received.length, total, rows });
  };
  tell();
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) break;
      received.add(part.value);
      tell();
    }
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, CUT);
  }
  if (total !== null && received.length < total) throw new ApiError(0, CUT);
  const history = api.historyOf(response);
  return { bytes: received.length === 0 ? null : received.whole(), rows, history };
}

const CUT = 'The connection was cut before all rows had arrived.';

function tooLarge(rows: number, key: 'text' | 'number', areTwo: boolean): string {
  const counted = rows.toLocaleString();
  const remedy =
    key === 'text'
      ? 'Ask the administrator to set a coarser display grain for this source.'
      : 'Ask the administrator to set a display grain for this source: it loads sums instead of single rows.';
  const have = areTwo ? 'The two versions together have' : 'This version has';
  return `${have} ${counted} rows, more than a browser can hold. ${remedy}`;
}

function numberHeader(response: Response, name: string): number | null {
  const text = response.headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

/** Collects bytes as they arrive, each piece at its final place, so that nothing is copied at the end. */
class Received {
  length = 0;
  private bytes: Uint8Array<ArrayBuffer>;

  /** @param expected number of bytes that will arrive; null if it is unknown */
  constructor(expected: number | null) {
    this.bytes = new Uint8Array(expected ?? 0);
  }

  add(chunk: Uint8Array): void {
    const length = this.length + chunk.byteLength;
    if (length > this.bytes.length) {
      const { bytes } = this;
      this.bytes = new Uint8Array(Math.max(length, 2 * bytes.length));
      this.bytes.set(bytes.subarray(0, this.length));
    }
    this.bytes.set(chunk, this.length);
    this.length = length;
  }

  /** Returns all bytes, in a buffer of exactly their length. */
  whole(): ArrayBuffer {
    const { bytes, length } = this;
    return bytes.length === length ? bytes.buffer : bytes.slice(0, length).buffer;
  }
}
