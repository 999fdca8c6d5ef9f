/** A server message begins with one byte for its kind and four for its length, which count themselves. */
const HEAD = 5;
const KIND = 1;

const COPY_DATA = 'd'.charCodeAt(0);
/** Messages that the server may send before and between the data of a COPY. */
const PASSED_OVER = ['H', 'N', 'S', 'A'].map((kind) => kind.charCodeAt(0));

/** The parts of a chunk that belong to a COPY. */
interface Taken {
  /** The bytes of the COPY. */
  data: Uint8Array;
  /**
   * Bytes from the first message that does not belong to the COPY (its end or an error); null if none has
   * arrived.
   */
  rest: Buffer | null;
}

/**
 * Extracts the bytes of a COPY from the messages that carry them. PostgreSQL sends one message per row, so
 * this allocates nothing per message: it moves the bytes of each row to the end of the previous row.
 */
export class CopyMessages {
  /** The head of a message that has arrived only in part. */
  private head = Buffer.alloc(0);
  private isData = false;
  /** Bytes of the current message that have not arrived yet. */
  private left = 0;

  /** @param chunk the next bytes, split anywhere; the returned data overwrites them */
  take(chunk: Buffer): Taken {
    const bytes = this.head.length > 0 ? Buffer.concat([this.head, chunk]) : chunk;
    this.head = Buffer.alloc(0);
    let [at, end] = [0, 0];
    for (;;) {
      const length = Math.min(this.left, bytes.length - at);
      if (this.isData) {
        bytes.copyWithin(end, at, at + length);
        end += length;
      }
      at += length;
      this.left -= length;
      if (bytes.length - at < HEAD) break;
      const kind = bytes[at] ?? 0;
      this.isData = kind === COPY_DATA;
      if (!this.isData && !PASSED_OVER.includes(kind)) {
        return { data: bytes.subarray(0, end), rest: bytes.subarray(at) };
      }
      this.left = bytes.readUInt32BE(at + KIND) + KIND - HEAD;
      at += HEAD;
    }
    this.head = Buffer.from(bytes.subarray(at));
    return { data: bytes.subarray(0, end), rest: null };
  }
}
