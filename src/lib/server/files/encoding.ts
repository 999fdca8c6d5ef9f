/** Recognises the encoding of a file from its bytes. */
import type { FileEncoding } from '../../contract/files';

/** Number of bytes in which zeros are counted. */
const SAMPLE = 65_536;

/** Number of zeros among the high bytes of a UTF-16 text, at least, and their share in Latin scripts. */
const FEWEST_ZEROS = 4;
const ZEROS = 0.5;

/** Gathers evidence for the encoding while a file arrives. */
export class EncodingEvidence {
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true });
  private isUtf8 = true;
  private start = new Uint8Array(0);
  private size = 0;
  private readonly zeros: [even: number, odd: number] = [0, 0];

  /** @param bytes the next bytes of the file */
  take(bytes: Uint8Array): void {
    if (this.start.length < 4) {
      this.start = Uint8Array.from([...this.start, ...bytes.subarray(0, 4)]).subarray(0, 4);
    }
    const sampled = Math.min(bytes.length, SAMPLE - this.size);
    for (let i = 0; i < sampled; i++) {
      if (bytes[i] === 0) this.zeros[(this.size + i) % 2 === 0 ? 0 : 1]++;
    }
    this.size += bytes.length;
    this.check(() => this.utf8.decode(bytes, { stream: true }));
  }

  private check(decode: () => unknown): void {
    if (!this.isUtf8) return;
    try {
      decode();
    } catch {
      this.isUtf8 = false;
    }
  }

  /** The first four bytes. */
  get signature(): string {
    return Array.from(this.start, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  /** The encoding of the whole file: by its mark, by its zeros, else UTF-8 if all of it is. */
  encoding(): FileEncoding {
    const start = this.signature;
    if (start.startsWith('fffe')) return 'utf-16le';
    if (start.startsWith('feff')) return 'utf-16be';
    const fewest = Math.max(FEWEST_ZEROS, (Math.min(this.size, SAMPLE) / 2) * ZEROS);
    const [even, odd] = this.zeros;
    if (odd >= fewest && even === 0) return 'utf-16le';
    if (even >= fewest && odd === 0) return 'utf-16be';
    this.check(() => this.utf8.decode());
    return this.isUtf8 ? 'utf-8' : 'windows-1252';
  }
}
