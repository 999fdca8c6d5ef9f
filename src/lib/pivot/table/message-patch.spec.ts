import { describe, expect, it } from 'vitest';
import { joined } from '../rows/arrow-columns';
import { MessagePatch } from './message-patch';

const bytesOf = (...parts: (number[] | Uint8Array)[]) =>
  new Uint8Array(joined(parts.map((part) => Uint8Array.from(part))));

/** Encodes a length as a Protocol Buffers varint. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
}

/** Encodes a field that contains bytes or a message. */
const field = (number: number, content: Uint8Array) =>
  bytesOf(varint((number << 3) | 2), varint(content.length), content);

/** Encodes a message as the engine's client sends it: numbers before the rows, and a message after them. */
const request = (rows: Uint8Array) =>
  bytesOf(
    [...varint(1 << 3), ...varint(1_910_978_653)],
    field(2, bytesOf([7, 7])),
    [(3 << 3) | 1, ...new Array<number>(8).fill(255)],
    [(4 << 3) | 5, ...new Array<number>(4).fill(255)],
    field(27, bytesOf(field(1, field(2, rows)), field(3, field(1, bytesOf([112, 102]))))),
  );

const sent = async (rows: readonly Uint8Array[], form = request) => {
  const patch = new MessagePatch();
  return patch.during(rows, async (placeholder) =>
    patch.filled(form(new Uint8Array(placeholder)).slice().buffer),
  );
};

describe('rows that bypass the client', () => {
  it.each([0, 1, 16, 90, 127, 128, 129, 16_383, 16_384, 3_000_000])(
    'are inserted into its message, with correct lengths: %i bytes',
    async (size) => {
      const rows = Uint8Array.from({ length: size }, (_, i) => i % 251);
      const parts = [rows.subarray(0, size >> 1), rows.subarray(size >> 1)];
      expect(Buffer.from(await sent(parts)).equals(request(rows))).toBe(true);
    },
  );

  it('are inserted only into their own message, and only once', async () => {
    const patch = new MessagePatch();
    const other = request(bytesOf([1, 2, 3])).slice().buffer;
    await patch.during([bytesOf([4])], async (placeholder) => {
      expect(patch.filled(other)).toBe(other);
      const message = () => request(new Uint8Array(placeholder)).slice().buffer;
      await patch.during([bytesOf([5])], async (second) => {
        const filled = patch.filled(request(new Uint8Array(second)).slice().buffer);
        expect(new Uint8Array(filled)).toEqual(request(bytesOf([5])));
      });
      expect(new Uint8Array(patch.filled(message()))).toEqual(request(bytesOf([4])));
      expect(new Uint8Array(patch.filled(message()))).toEqual(new Uint8Array(message()));
    });
  });

  it('are not sent if the message has an unknown format', async () => {
    const inText = (rows: Uint8Array) => field(1, bytesOf([9], rows));
    await expect(sent([bytesOf([4])], inText)).rejects.toThrow('in another form');
  });
});
