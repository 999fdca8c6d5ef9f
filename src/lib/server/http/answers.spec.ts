import { expect, it } from 'vitest';
import type { Column } from '../arrow/column-plan';
import { IdColumn } from '../arrow/id-runs';
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

const asRuns = (ids: IdColumn): Column => ids;
const asRead = ({ name, data }: IdColumn): Column => ({ name, data });

/** The answer of an undo of many rows, and the budget that it takes 1,000 bytes of. */
async function undone(write: (ids: IdColumn) => Column) {
  const budget = new Budget(1_000_000);
  const memory = await budget.once((memory) => {
    memory.grow(1000);
    return Promise.resolve(memory);
  });
  const ids = Array.from({ length: 100_000 }, (_, i) => i + 1);
  const columns = [write(new IdColumn('pf_id', [1, ids.length]))];
  const response = undoResponse({ rows_deleted: ids.length, keys: 'pf_ids', columns, memory });
  return { response, budget, expected: { rows_deleted: ids.length, pf_ids: ids } };
}

it('tells the length of an answer to an undo whose ids are runs', async () => {
  const { response, budget, expected } = await undone(asRuns);
  const length = Number(response.headers.get('content-length'));
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(bytes.length).toBe(length);
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(expected);
  expect(budget.held).toBe(0);
});

it('tells no length of one whose ids were read', async () => {
  const { response, budget, expected } = await undone(asRead);
  expect(response.headers.has('content-length')).toBe(false);
  expect(await response.json()).toEqual(expected);
  expect(budget.held).toBe(0);
});

it.each([
  ['that are runs', asRuns],
  ['that were read', asRead],
])('keeps the memory of ids %s until the client has taken them or left', async (_, write) => {
  const { response, budget } = await undone(write);
  const reader = response.body!.getReader();
  await reader.read();
  expect(budget.held).toBe(1000);
  await reader.cancel();
  expect(budget.held).toBe(0);
});
