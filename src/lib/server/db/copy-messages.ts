/** A message of the server begins with its kind, one byte, and its length with that of the length itself. */
const HEAD = 5;
const KIND = 1;

const COPY_DATA = 'd'.charCodeAt(0);
/** What the server may send before and between the data of a COPY. */
const PASSED_OVER = ['H', 'N', 'S', 'A'].map((kind) => kind.charCodeAt(0));

/** What some bytes of a connection hold of a COPY. */
interface Taken {
  /** The bytes of the COPY. */
  data: Uint8Array;
  /** From the first message on that is no part of the COPY, if it has come: its end, or an error. */
  rest: Buffer | null;
}

/**
 * Takes the bytes of a COPY out of the messages that carry them. PostgreSQL sends a message per row, so
 * nothing is made for one: its bytes are moved to those of the row before.
 */
export class CopyMessages {
  /** The head of a message of which only a part has come. */
  #head = Buffer.alloc(0);
  #isData = false;
  /** Bytes of the message that are still to come. */
  #left = 0;

  /** @param chunk the next bytes, which may begin and end anywhere; the data takes its place in them */
  take(chunk: Buffer): Taken {
    const bytes = this.#head.length > 0 ? Buffer.concat([this.#head, chunk]) : chunk;
    this.#head = Buffer.alloc(0);
    let [at, end] = [0, 0];
    for (;;) {
      const length = Math.min(this.#left, bytes.length - at);
      if (this.#isData) {
        bytes.copyWithin(end, at, at + length);
        end += length;
      }
      at += length;
      this.#left -= length;
      if (bytes.length - at < HEAD) break;
      const kind = bytes[at] ?? 0;
      this.#isData = kind === COPY_DATA;
      if (!this.#isData && !PASSED_OVER.includes(kind)) {
        return { data: bytes.subarray(0, end), rest: bytes.subarray(at) };
      }
      this.#left = bytes.readUInt32BE(at + KIND) + KIND - HEAD;
      at += HEAD;
    }
    this.#head = Buffer.from(bytes.subarray(at));
    return { data: bytes.subarray(0, end), rest: null };
  }
}
