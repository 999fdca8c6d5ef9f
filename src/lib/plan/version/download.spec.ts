import { afterEach, describe, expect, it, vi } from 'vitest';
import { readDownload, TooLargeError, type Progress } from './download';

/** Returns a response whose body arrives in the given pieces. */
function answer(pieces: Uint8Array[], headers: Record<string, string>, failure?: Error) {
  const body = new ReadableStream({
    async start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      if (failure) {
        await new Promise((resolve) => setTimeout(resolve));
        controller.error(failure);
      } else controller.close();
    },
  });
  return new Response(body, { headers });
}

/** Advances the clock by 40 ms each time it is read. */
function slowly(): { times: () => number } {
  let now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 40));
  return { times: () => now };
}
afterEach(() => vi.restoreAllMocks());

const piece = (length: number) => new Uint8Array(length).fill(1);
const ignore = () => {};

describe('readDownload', () => {
  it('joins the pieces and reports bytes, size and rows', async () => {
    const told: Progress[] = [];
    slowly();
    const response = answer([piece(1), piece(2), piece(4)], {
      'content-length': '7',
      'x-row-count': '2',
    });
    const { bytes, rows } = await readDownload(response, 'number', (p) => told.push(p));
    expect(bytes?.byteLength).toBe(7);
    expect(rows).toBe(2);
    expect(told[0]).toEqual({ bytes: 0, total: 7, rows: 2 });
    expect(told.at(-1)).toEqual({ bytes: 7, total: 7, rows: 2 });
  });

  it.each<{ size: string; headers: Record<string, string> }>([
    { size: 'as announced', headers: { 'content-length': '6' } },
    { size: 'not announced', headers: {} },
    { size: 'announced too small', headers: { 'content-length': '4' } },
  ])('keeps the pieces in order, size $size', async ({ headers }) => {
    const pieces = [[1, 2], [3], [4, 5, 6]].map((each) => new Uint8Array(each));
    const { bytes } = await readDownload(answer(pieces, headers), 'number', ignore);
    expect([...new Uint8Array(bytes ?? new ArrayBuffer(0))]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('reports progress of many quick pieces only at the start and the end', async () => {
    const told: Progress[] = [];
    await readDownload(
      answer(
        Array.from({ length: 500 }, () => piece(1)),
        {},
      ),
      'number',
      (p) => told.push(p),
    );
    expect(told.length).toBeLessThan(20);
  });

  it('reports nothing within 100 ms of the last report, not even at the end', async () => {
    for (const pieces of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const at: number[] = [];
      const { times } = slowly();
      const response = answer(
        Array.from({ length: pieces }, () => piece(1)),
        {},
      );
      await readDownload(response, 'number', () => at.push(times()));
      const gaps = at.slice(1).map((time, i) => time - (at[i] ?? 0));
      expect(at).toHaveLength(1 + Math.floor(pieces / 3));
      expect(gaps.every((gap) => gap >= 100)).toBe(true);
    }
  });

  it('returns no bytes for the zero-length answer of an empty version', async () => {
    const response = answer([], { 'content-length': '0', 'x-row-count': '0' });
    expect(await readDownload(response, 'number', ignore)).toEqual({
      bytes: null,
      rows: 0,
      history: { timeline: null, revision: null },
    });
  });

  it('does not use the compressed length as the size', async () => {
    const told: Progress[] = [];
    const headers = { 'content-length': '2', 'content-encoding': 'br' };
    await readDownload(answer([piece(9)], headers), 'number', (p) => told.push(p));
    expect(told.every(({ total }) => total === null)).toBe(true);
  });

  it('reads the size of a compressed answer from its own header', async () => {
    const told: Progress[] = [];
    const headers = { 'content-length': '2', 'content-encoding': 'br', 'x-arrow-length': '9' };
    slowly();
    const parts = [piece(1), piece(2), piece(6)];
    await readDownload(answer(parts, headers), 'number', (p) => told.push(p));
    expect(told.at(-1)).toEqual({ bytes: 9, total: 9, rows: null });
    const cut = answer([piece(8)], headers);
    await expect(readDownload(cut, 'number', ignore)).rejects.toThrow(/cut before all rows/);
  });

  it.each([
    ['breaks', answer([piece(3)], {}, new TypeError('network error'))],
    ['ends early', answer([piece(3)], { 'content-length': '7' })],
  ])('reports a connection that %s', async (_, response) => {
    await expect(readDownload(response, 'number', ignore)).rejects.toThrow(/cut before all rows/);
  });

  it.each([
    ['text', '2000000', /coarser display grain/],
    ['number', '5000001', /set a display grain/],
  ] as const)('refuses too many %s keys without reading them', async (key, rows, message) => {
    const response = answer([piece(3)], { 'x-row-count': rows });
    const refused = readDownload(response, key, ignore);
    await expect(refused).rejects.toThrow(TooLargeError);
    await expect(refused).rejects.toThrow(message);
  });
});
