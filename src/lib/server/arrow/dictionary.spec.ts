import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { arrowRows, column, decode } from '../../../../tests/support/copied-columns';
import * as wire from '../../../../tests/support/copy-bytes';
import { pivotedTotals } from '../../../../tests/support/pivot-engine';
import { encode } from '../../../../tests/support/encode';

// These tests read thousands of small streams and run the pivot engine, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe('dictionaries', () => {
  it('store each text once, for any number of rows and texts', async () => {
    const count = 20_000;
    const textOf = (i: number) => `text ${(i * 7919) % 12_000}`;
    const bytes = wire.copyBytes(
      Array.from({ length: count }, (_, i) => [wire.text(textOf(i)), wire.int4(1)]),
    );
    const columns = decode([column('text'), column('int4', 'measure', 'units')], bytes, 65_536);
    expect(columns[0]?.data.dictionary?.length).toBe(12_000);
    const arrow = tableFromIPC(encode(columns)).getChild('text');
    for (let i = 0; i < count; i += 997) expect(arrow?.get(i)).toBe(textOf(i));
    const totals = await pivotedTotals(encode(columns), 'text', ['units']);
    expect(totals.length).toBe(12_001);
    expect(totals[0]?.units).toBe(count);
    expect(totals.slice(1).every((row) => row.units === 1 || row.units === 2)).toBe(true);
  });

  it('distinguish texts that differ in one byte, at any length', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 12 })), (texts) => {
        const columns = decode([column('text')], wire.copyBytes(texts.map((t) => [wire.text(t)])));
        expect(columns[0]?.data.dictionary?.length).toBe(new Set(texts).size);
        if (texts.length > 0) expect(arrowRows(columns).map((r) => r.text)).toEqual(texts);
      }),
    );
  });
});
