import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { version } from '../support/small-version';

describe('recode', () => {
  it('refuses a slice that already has the values, and an empty set', async ({ service }) => {
    const { refused } = await version(service, 'numeric(12,2)', [['A', 1, 1]]);
    await refused('recode', { set: { Region: 'A' } });
    await refused('recode', { set: {} });
  });

  it('does not touch rows that the set does not change, and returns the negating rows first', async ({
    service,
  }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 1, 1],
      ['B', 2, 2],
      ['C', 0, 0],
    ]);
    expect(await does('recode', { set: { Region: 'B' } })).toEqual([
      ['A', -1, -1],
      ['B', 1, 1],
    ]);
  });

  it('moves to null and back', async ({ service }) => {
    const { does, refused } = await version(service, 'numeric(12,2)', [['A', 5, 1]]);
    expect(await does('recode', { set: { Region: null } })).toEqual([
      ['A', -5, -1],
      [null, 5, 1],
    ]);
    await refused('recode', { slice: { Region: 'A' }, set: { Region: 'B' } });
    expect(await does('recode', { slice: { Region: null }, set: { Region: 'B' } })).toEqual([
      [null, -5, -1],
      ['B', 5, 1],
    ]);
  });

  it('moves leaves that net to zero in one measure by the other', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 5, 1],
      ['A', -5, 1],
    ]);
    expect(await does('recode', { set: { Region: 'B' } })).toEqual([
      ['A', 0, -2],
      ['B', 0, 2],
    ]);
  });
});

describe('clone', () => {
  it('copies in place with an empty set, by a factor rounded once', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 0.05, 1],
      ['B', 0.05, 1],
      ['C', 0.05, 1],
    ]);
    expect(await does('clone', { set: {} })).toEqual([
      ['A', 0.05, 1],
      ['B', 0.05, 1],
      ['C', 0.05, 1],
    ]);
    // The slice is now 0.30 and 6; a tenth of it is 0.03 and 1.
    expect(await does('clone', { set: { Region: 'D' }, scale_factor: 0.1 })).toEqual([
      ['D', 0.01, 0],
      ['D', 0.01, 0],
      ['D', 0.01, 1],
    ]);
  });

  it('refuses a factor of 0, and one that rounds everything away', async ({ service }) => {
    const { refused } = await version(service, 'numeric(12,2)', [['A', 1, 1]]);
    await refused('clone', { set: {}, scale_factor: 0 });
    await refused('clone', { set: {}, scale_factor: 0.001 });
  });
});
