import { describe, expect, it } from 'vitest';
import { CopyMessages } from './copy-messages';

/** A message as the server sends it. */
function message(kind: string, body: string): Buffer {
  const head = Buffer.alloc(5, kind);
  head.writeUInt32BE(4 + Buffer.byteLength(body), 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

const END = Buffer.concat([message('c', ''), message('C', 'COPY 3'), message('Z', 'I')]);
const SENT = Buffer.concat([
  message('H', 'a format'),
  message('d', 'first'),
  message('N', 'a notice'),
  message('d', ''),
  message('d', 'ddddd'),
  message('S', 'a setting'),
  message('d', 'last'),
  END,
]);

/** The data of all chunks, and the rest that pg must read. */
function taken(chunks: readonly Buffer[]): { data: string; rest: string } {
  const messages = new CopyMessages();
  const data: Buffer[] = [];
  for (const [i, chunk] of chunks.entries()) {
    const found = messages.take(Buffer.from(chunk));
    data.push(Buffer.from(found.data));
    if (found.rest) {
      const rest = Buffer.concat([found.rest, ...chunks.slice(i + 1)]).toString('latin1');
      return { data: Buffer.concat(data).toString(), rest };
    }
  }
  throw new Error('The end did not come');
}

const WHOLE = { data: 'firstdddddlast', rest: END.toString('latin1') };

describe('the messages of a COPY', () => {
  it('contain its data, and what follows them is left for pg', () => {
    expect(taken([SENT])).toEqual(WHOLE);
  });

  it('may be split anywhere', () => {
    for (let cut = 1; cut < SENT.length; cut += 1) {
      expect(taken([SENT.subarray(0, cut), SENT.subarray(cut)]), `at ${cut}`).toEqual(WHOLE);
    }
  });

  it('may arrive byte by byte', () => {
    expect(taken([...SENT].map((byte) => Buffer.of(byte)))).toEqual(WHOLE);
  });

  it('leave an error unchanged', () => {
    const error = message('E', 'SERROR');
    const sent = Buffer.concat([message('H', ''), message('d', 'row'), error]);
    expect(taken([sent])).toEqual({ data: 'row', rest: error.toString('latin1') });
  });
});
