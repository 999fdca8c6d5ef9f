/** Reads files from a zip archive, with limits for what they unpack to. */
import type { ByteSource } from './bytes';
import { damaged, shortened, WorkbookFault } from './fault';
import {
  HIGHEST_RATIO,
  LARGEST_DIRECTORY,
  MOST_ENTRIES,
  MOST_UNPACKED,
  RATIO_FROM,
} from './limits';

/** A file in the archive. */
interface Entry {
  /** Whether a password protects it. */
  isEncrypted: boolean;
  method: number;
  crc: number;
  packed: number;
  unpacked: number;
  /** Where its own header begins. */
  offset: number;
}

/** Packed bytes that are read at a time. */
const PART = 131_072;

const STORED = 0;
const DEFLATED = 8;

/** Signatures of the records of an archive, and their sizes without names and comments. */
const END = { signature: 0x06054b50, size: 22 };
const END_64 = { signature: 0x06064b50, size: 56 };
const LOCATOR_64 = { signature: 0x07064b50, size: 20 };
const CENTRAL = { signature: 0x02014b50, size: 46 };
const LOCAL = { signature: 0x04034b50, size: 30 };
const LONGEST_COMMENT = 0xffff;
/** Stands for a number that a record with 64 bits has. */
const ELSEWHERE = 0xffffffff;

/** An archive. Its names are compared without case. */
export class Zip {
  private constructor(
    private readonly source: ByteSource,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** Reads the list of files. @throws WorkbookFault if the archive is incomplete or has too many files */
  static async open(source: ByteSource): Promise<Zip> {
    const { count, from, size } = await directoryOf(source);
    if (count > MOST_ENTRIES || size > LARGEST_DIRECTORY) {
      throw new WorkbookFault(`The archive has more than ${MOST_ENTRIES} files`);
    }
    return new Zip(source, entriesOf(await bytesAt(source, from, from + size), count));
  }

  has(name: string): boolean {
    return this.entries.has(keyOf(name));
  }

  get names(): string[] {
    return [...this.entries.keys()];
  }

  /**
   * Unpacks a file in parts. Compares its length and checksum to the archive's.
   *
   * @param most largest number of unpacked bytes
   * @throws WorkbookFault
   */
  async *read(path: string, most = MOST_UNPACKED): AsyncGenerator<Uint8Array> {
    const entry = this.entries.get(keyOf(path));
    const name = shortened(path);
    if (!entry) throw damaged(`it has no ${name}`);
    if (entry.isEncrypted) throw new WorkbookFault('The archive is protected by a password');
    const ratio = entry.unpacked / Math.max(1, entry.packed);
    if (entry.unpacked > most || (entry.unpacked > RATIO_FROM && ratio > HIGHEST_RATIO)) {
      throw new WorkbookFault(`${name} unpacks to ${entry.unpacked} bytes, which is too much`);
    }
    const from = await this.dataStart(name, entry);
    if (from + entry.packed > this.source.size) throw damaged(`${name} is not complete`);
    let size = 0;
    let crc = CRC_START;
    for await (const part of unpack(this.source, from, entry, name)) {
      size += part.length;
      if (size > entry.unpacked)
        throw damaged(`${name} unpacks to more bytes than the archive says`);
      crc = crcOf(part, crc);
      await this.source.step?.();
      yield part;
    }
    if (size !== entry.unpacked || ~crc >>> 0 !== entry.crc) {
      throw damaged(`${name} does not have the length or checksum that the archive says`);
    }
  }

  private async dataStart(name: string, { offset }: Entry): Promise<number> {
    const header = await bytesAt(this.source, offset, offset + LOCAL.size);
    if (header.getUint32(0, true) !== LOCAL.signature) throw damaged(`${name} has no header`);
    return offset + LOCAL.size + header.getUint16(26, true) + header.getUint16(28, true);
  }
}

const keyOf = (name: string): string => name.replaceAll('\\', '/').toLowerCase();

async function bytesAt(source: ByteSource, from: number, to: number): Promise<DataView> {
  if (from < 0 || to > source.size) throw damaged('the archive is not complete');
  return new DataView((await source.read(from, to)).buffer);
}

/** Finds the list of files, which the end of the archive names. */
async function directoryOf(
  source: ByteSource,
): Promise<{ count: number; from: number; size: number }> {
  const start = Math.max(0, source.size - END.size - LONGEST_COMMENT);
  const end = await bytesAt(source, start, source.size);
  for (let at = end.byteLength - END.size; at >= 0; at--) {
    if (end.getUint32(at, true) !== END.signature) continue;
    if (at + END.size + end.getUint16(at + 20, true) !== end.byteLength) continue;
    const size = end.getUint32(at + 12, true);
    const from = end.getUint32(at + 16, true);
    const count = end.getUint16(at + 10, true);
    const isLarge = size === ELSEWHERE || from === ELSEWHERE || count === 0xffff;
    return isLarge ? largeDirectoryOf(source, start + at) : { count, from, size };
  }
  throw damaged('the end of the archive is missing; the file may be cut off');
}

/** @param end where the end record begins */
async function largeDirectoryOf(source: ByteSource, end: number) {
  const locator = await bytesAt(source, end - LOCATOR_64.size, end);
  if (locator.getUint32(0, true) !== LOCATOR_64.signature) throw damaged('its end is not complete');
  const at = Number(locator.getBigUint64(8, true));
  const record = await bytesAt(source, at, at + END_64.size);
  if (record.getUint32(0, true) !== END_64.signature) throw damaged('its end is not complete');
  const [count, size, from] = [32, 40, 48].map((i) => Number(record.getBigUint64(i, true)));
  return { count: count ?? 0, size: size ?? 0, from: from ?? 0 };
}

function entriesOf(directory: DataView, count: number): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const u16 = (at: number) => directory.getUint16(at, true);
  const u32 = (at: number) => directory.getUint32(at, true);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const isInside = at + CENTRAL.size <= directory.byteLength;
    if (!isInside || u32(at) !== CENTRAL.signature)
      throw damaged('the list of files is incomplete');
    const name = at + CENTRAL.size;
    const extra = name + u16(at + 28);
    const next = extra + u16(at + 30) + u16(at + 32);
    if (next > directory.byteLength) throw damaged('the list of files is incomplete');
    const numbers = [u32(at + 24), u32(at + 20), u32(at + 42)];
    const [unpacked = 0, packed = 0, offset = 0] = numbers.includes(ELSEWHERE)
      ? largeNumbers(directory, extra, extra + u16(at + 30), numbers)
      : numbers;
    const bytes = new Uint8Array(directory.buffer, name, extra - name);
    entries.set(keyOf(new TextDecoder().decode(bytes)), {
      isEncrypted: (u16(at + 8) & 1) === 1,
      method: u16(at + 10),
      crc: u32(at + 16),
      ...{ packed, unpacked, offset },
    });
    at = next;
  }
  return entries;
}

/** Takes the numbers that need 64 bits from the extra field, where they stand in this order. */
function largeNumbers(directory: DataView, from: number, to: number, numbers: number[]): number[] {
  for (let at = from; at + 4 <= to; at += 4 + directory.getUint16(at + 2, true)) {
    if (directory.getUint16(at, true) !== 1) continue;
    const end = Math.min(to, at + 4 + directory.getUint16(at + 2, true));
    let place = at + 4;
    return numbers.map((number) => {
      if (number !== ELSEWHERE) return number;
      if (place + 8 > end) throw damaged('the list of files is incomplete');
      place += 8;
      return Number(directory.getBigUint64(place - 8, true));
    });
  }
  return numbers;
}

async function* unpack(
  source: ByteSource,
  from: number,
  { method, packed }: Entry,
  name: string,
): AsyncGenerator<Uint8Array> {
  const end = from + packed;
  let at = from;
  const next = async (): Promise<Uint8Array<ArrayBuffer> | null> => {
    if (at >= end) return null;
    const start = at;
    at = Math.min(end, at + PART);
    return source.read(start, at);
  };
  if (method === STORED) {
    for (let part = await next(); part; part = await next()) yield part;
    return;
  }
  if (method !== DEFLATED) throw damaged(`${name} is packed by method ${method}`);
  let failure: unknown;
  const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const part = await next();
        if (part) controller.enqueue(part);
        else controller.close();
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  });
  const reader = bytes.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw (
          failure ??
          new WorkbookFault(`The workbook is damaged: ${name} cannot be unpacked`, { cause: error })
        );
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const CRC_START = 0xffffffff;
/** The checksum of a byte, and of a byte that one, two and three zero bytes follow. */
const CRC_TABLES = crcTables();

function crcTables(): [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
  const next = (table: Int32Array) => table.map((crc) => (crc >>> 8) ^ (first[crc & 0xff] ?? 0));
  const [second, third] = [next(first), next(next(first))];
  return [first, second, third, next(third)];
}

/** Continues a checksum (CRC-32) with the next bytes, four at a time. */
function crcOf(bytes: Uint8Array, start: number): number {
  const [one, two, three, four] = CRC_TABLES;
  const at = (table: Int32Array, byte: number): number => table[byte & 0xff] ?? 0;
  let crc = start;
  let i = 0;
  for (; i + 3 < bytes.length; i += 4) {
    crc ^=
      byteAt(bytes, i) |
      (byteAt(bytes, i + 1) << 8) |
      (byteAt(bytes, i + 2) << 16) |
      (byteAt(bytes, i + 3) << 24);
    crc = at(four, crc) ^ at(three, crc >>> 8) ^ at(two, crc >>> 16) ^ at(one, crc >>> 24);
  }
  for (; i < bytes.length; i++) crc = at(one, crc ^ byteAt(bytes, i)) ^ (crc >>> 8);
  return crc;
}

const byteAt = (bytes: Uint8Array, i: number): number => bytes[i] ?? 0;
