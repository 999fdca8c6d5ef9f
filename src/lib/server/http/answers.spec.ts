import { makeVector } from 'apache-arrow';
import { expect, it } from 'vitest';
import { Budget } from '../budget';
import { jsonInPieces, undoResponse } from './answers';

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

/** The answer of an undo of many rows, and the budget of which it reserves 1,000 bytes. */
async function undone(keys: 'pf_ids' | null) {
  const budget = new Budget(1_000_000);
  const memory = await budget.once((memory) => {
    memory.grow(1000);
    return Promise.resolve(memory);
  });
  const ids = Array.from({ length: 100_000 }, (_, i) => i + 1);
  const columns = keys ? [{ name: 'pf_id', data: makeVector(Int32Array.from(ids)).data[0]! }] : [];
  const response = undoResponse({ rows_deleted: ids.length, keys, columns, memory });
  return { response, budget, ids };
}

it('answers an undo with the keys of the rows, in pieces of unknown length', async () => {
  const { response, budget, ids } = await undone('pf_ids');
  expect(response.headers.has('content-length')).toBe(false);
  expect(response.headers.has('preference-applied')).toBe(false);
  expect(await response.json()).toEqual({ rows_deleted: ids.length, pf_ids: ids });
  expect(budget.held).toBe(0);
});

it('answers an undo with the number of rows alone if the client prefers that', async () => {
  const { response, budget, ids } = await undone(null);
  expect(budget.held).toBe(0);
  expect(response.headers.get('preference-applied')).toBe('return=minimal');
  expect(await response.json()).toEqual({ rows_deleted: ids.length });
});

it('keeps the memory of ids reserved until the client has read them or left', async () => {
  const { response, budget } = await undone('pf_ids');
  const reader = response.body!.getReader();
  await reader.read();
  expect(budget.held).toBe(1000);
  await reader.cancel();
  expect(budget.held).toBe(0);
});
