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
  const reader = jsonInPieces(pieces()).body!.getReader();
  expect(made).toBe(0);
  expect((await reader.read()).value).toEqual(Uint8Array.of(1));
  expect((await reader.read()).value).toEqual(Uint8Array.of(2));
  expect([made, left]).toEqual([2, false]);
  await reader.cancel();
  expect([made, left]).toEqual([2, true]);
});
