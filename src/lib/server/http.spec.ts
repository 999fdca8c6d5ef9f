import { expect, it } from 'vitest';
import { jsonInPieces } from './http';

it('makes a piece of an answer when it is asked for, and none after the client has left', async () => {
  let made = 0;
  let left = false;
  function* pieces() {
    try {
      for (;;) yield Uint8Array.of((made += 1));
    } finally {
      left = true;
    }
  }
  let released = false;
  const memory = {
    release() {
      released = true;
    },
  };
  const reader = jsonInPieces(pieces(), memory).body!.getReader();
  expect(made).toBe(0);
  expect((await reader.read()).value).toEqual(Uint8Array.of(1));
  expect((await reader.read()).value).toEqual(Uint8Array.of(2));
  expect([made, left, released]).toEqual([2, false, false]);
  await reader.cancel();
  expect([made, left, released]).toEqual([2, true, true]);
});

it('gives back the memory of an answer that is taken to its end, or cannot be made', async () => {
  let released = 0;
  const memory = { release: () => void (released += 1) };
  await jsonInPieces([Uint8Array.of(49)].values(), memory).text();
  expect(released).toBe(1);
  function* broken() {
    yield Uint8Array.of(49);
    throw new Error('broken');
  }
  await expect(jsonInPieces(broken(), memory).text()).rejects.toThrow('broken');
  expect(released).toBe(2);
});
