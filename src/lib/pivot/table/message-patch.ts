/** Sends rows to the engine without copies in its client. */
import { joined } from '../rows/arrow-columns';

/** Length of a placeholder in bytes; long enough that no other bytes of a message match by chance. */
const LENGTH = 16;

/** Rows to send to the engine, and their placeholder. */
interface Awaited {
  placeholder: Uint8Array;
  rows: readonly Uint8Array[];
}

/**
 * Sends rows to the engine without passing them through its client, which gets a placeholder of a few bytes.
 * The placeholder is replaced by the rows when the client's message is sent.
 *
 * What it saves: the client copies the rows three times, a quarter of a second of a blocked page per million
 * rows, and once into memory that it keeps (docs/decisions/0039-the-first-screen.md). It relies on the form of
 * the client's messages; tests/e2e/engine-worker.e2e.ts fails if a version of the client changes that.
 */
export class MessagePatch {
  private readonly awaited = new Set<Awaited>();

  /**
   * @param rows parts of an Arrow stream, in order
   * @param ask calls the client with the placeholder of the rows
   */
  async during<T>(
    rows: readonly Uint8Array[],
    ask: (placeholder: ArrayBuffer) => Promise<T>,
  ): Promise<T> {
    const placeholder = crypto.getRandomValues(new Uint8Array(LENGTH));
    const awaited = { placeholder, rows };
    this.awaited.add(awaited);
    try {
      return await ask(placeholder.slice().buffer);
    } finally {
      this.awaited.delete(awaited);
    }
  }

  /**
   * Returns a message of the client with its placeholder replaced by the rows; the message itself if it
   * contains no placeholder.
   *
   * @throws Error if the placeholder is not a field of the message
   */
  filled(message: ArrayBuffer): ArrayBuffer {
    const bytes = new Uint8Array(message);
    for (const awaited of this.awaited) {
      const at = indexOf(bytes, awaited.placeholder);
      if (at < 0) continue;
      this.awaited.delete(awaited);
      return withField(bytes, at, awaited.rows);
    }
    return message;
  }
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  for (
    let at = bytes.indexOf(wanted[0] ?? 0);
    at >= 0;
    at = bytes.indexOf(wanted[0] ?? 0, at + 1)
  ) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}

/** A field of a message in Protocol Buffers that holds bytes or another message. */
interface MessageField {
  /** Offset of its length. */
  lengthAt: number;
  start: number;
  end: number;
}

/** Size of a value without a length prefix in bytes, by wire type. */
const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 };
const VARINT = 0;
const WITH_LENGTH = 2;

/**
 * Returns a message with other bytes in the field of the placeholder, and adjusts the lengths of the
 * enclosing messages.
 */
function withField(message: Uint8Array, at: number, parts: readonly Uint8Array[]): ArrayBuffer {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const field = { start: at, end: at + LENGTH };
  // From the inside out: the length of each field depends on that of the field inside it.
  let before: Uint8Array[] = [];
  let inner = field.start;
  let added = size - LENGTH;
  for (const { lengthAt, start, end } of fieldsAround(message, field).toReversed()) {
    const length = written(end - start + added);
    before = [length, message.subarray(start, inner), ...before];
    added += length.length - (start - lengthAt);
    inner = lengthAt;
  }
  return joined([message.subarray(0, inner), ...before, ...parts, message.subarray(field.end)]);
}

/**
 * Returns the fields that enclose a field, and the field itself last. @throws Error if the bytes are not a
 * field
 */
function fieldsAround(
  message: Uint8Array,
  { start, end }: Pick<MessageField, 'start' | 'end'>,
): readonly MessageField[] {
  const around: MessageField[] = [];
  let at = 0;
  while (at < start) {
    const tag = readVarint(message, at);
    const type = tag.value % 8;
    if (type === WITH_LENGTH) {
      const length = readVarint(message, tag.end);
      const field = { lengthAt: tag.end, start: length.end, end: length.end + length.value };
      const holds = field.start <= start && field.end >= end;
      if (holds) around.push(field);
      if (field.start === start && field.end === end) return around;
      at = holds ? field.start : field.end;
    } else if (type === VARINT) at = readVarint(message, tag.end).end;
    else at = tag.end + (FIXED[type] ?? message.length);
  }
  throw new Error('The engine’s client sends rows in another form than this page knows.');
}

function readVarint(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let end = at, weight = 1; ; end++, weight *= 128) {
    const byte = bytes[end] ?? 0;
    value += (byte & 127) * weight;
    if (byte < 128) return { value, end: end + 1 };
  }
}

function written(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}
