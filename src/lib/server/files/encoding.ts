/** Recognises the encoding of a file from its bytes. */
import type { FileEncoding } from '../../contract/files';
import { likelyEncoding } from './likely-encoding';

/** A line with bytes beyond ASCII. */
export interface SampleLine {
  /** Its number, from 1. */
  line: number;
  bytes: Uint8Array;
}

/** Number of lines with bytes beyond ASCII that are kept, and of their bytes. */
const LINES = 200;
const LONGEST_LINE = 400;

const LF = 0x0a;

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
  /** Lines with bytes beyond ASCII. */
  readonly lines: SampleLine[] = [];
  private line = 1;
  private readonly current: number[] = [];
  private isBeyond = false;
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
    this.sample(bytes);
    this.check(() => this.utf8.decode(bytes, { stream: true }));
  }

  private sample(bytes: Uint8Array): void {
    if (this.lines.length >= LINES) return;
    for (const byte of bytes) {
      if (byte === LF) {
        this.endLine();
        this.line++;
      } else if (this.current.length < LONGEST_LINE) {
        this.current.push(byte);
        this.isBeyond ||= byte > 0x7f;
      }
    }
  }

  private endLine(): void {
    if (this.isBeyond && this.lines.length < LINES) {
      this.lines.push({ line: this.line, bytes: Uint8Array.from(this.current) });
    }
    this.current.length = 0;
    this.isBeyond = false;
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

  /**
   * The encoding of the whole file: by its mark, by its zeros, UTF-8 if all of it is, else the one that reads the
   * lines beyond ASCII best.
   */
  encoding(): FileEncoding {
    const start = this.signature;
    if (start.startsWith('fffe')) return 'utf-16le';
    if (start.startsWith('feff')) return 'utf-16be';
    const fewest = Math.max(FEWEST_ZEROS, (Math.min(this.size, SAMPLE) / 2) * ZEROS);
    const [even, odd] = this.zeros;
    if (odd >= fewest && even === 0) return 'utf-16le';
    if (even >= fewest && odd === 0) return 'utf-16be';
    this.check(() => this.utf8.decode());
    if (this.isUtf8) return 'utf-8';
    this.endLine();
    return likelyEncoding(this.lines.map(({ bytes }) => bytes)).best;
  }
}
