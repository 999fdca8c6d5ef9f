import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it, vi } from 'vitest';
import { column, decode, MIXED, mixedRow } from '../../../../tests/support/copied-columns';
import * as wire from '../../../../tests/support/copy-bytes';
import { pivotedTotals } from '../../../../tests/support/pivot-engine';
import type { Column } from './column-plan';
import { encode } from '../../../../tests/support/encode';

// These tests read thousands of small streams and run the pivot engine, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe('the stream', () => {
  it('is empty if there are no rows', () => {
    expect(encode(decode(MIXED, wire.copyBytes([]))).length).toBe(0);
    expect(encode([])).toEqual(new Uint8Array(0));
  });

  it('is the same for the same rows', () => {
    const bytes = wire.copyBytes(Array.from({ length: 20 }, (_, i) => mixedRow(i)));
    expect(encode(decode(MIXED, bytes))).toEqual(encode(decode(MIXED, bytes)));
  });

  it('keeps column names and their order', () => {
    const names = ['Order Date', 'sub-category', 'select', 'a"b'];
    const plan = names.map((name) => column('int4', 'dimension', name));
    const columns = decode(plan, wire.copyBytes([names.map((_, i) => wire.int4(i))]));
    const table = tableFromIPC(encode(columns));
    expect(table.schema.fields.map((field) => field.name)).toEqual(names);
  });

  it('refuses columns of different lengths', () => {
    const [one] = decode([column('int4')], wire.copyBytes([[wire.int4(1)]]));
    const [two] = decode([column('int4')], wire.copyBytes([[wire.int4(1)], [wire.int4(2)]]));
    expect(() => encode([one, two] as Column[])).toThrow(/lengths/);
  });

  it('has the sums of its rows when the pivot engine reads it', async () => {
    const cents = Array.from({ length: 4000 }, (_, i) => (i * 7919) % 100_003);
    const bytes = wire.copyBytes(
      cents.map((c, i) => [
        i % 9 === 0 ? null : wire.text(`Region ${i % 4}`),
        wire.numeric((c / 100).toFixed(2)),
      ]),
    );
    const plan = [column('text', 'dimension', 'Region'), column('numeric', 'measure', 'Sales')];
    const totals = await pivotedTotals(encode(decode(plan, bytes)), 'Region', ['Sales']);
    const sum = (of: (i: number) => boolean) =>
      cents.reduce((total, c, i) => (of(i) ? total + c : total), 0) / 100;
    const bySales = new Map(
      totals.map((row) => [JSON.stringify(row.__ROW_PATH__), row.Sales as number]),
    );
    expect(bySales.get('[]')).toBeCloseTo(
      sum(() => true),
      6,
    );
    expect(bySales.get('[null]')).toBeCloseTo(
      sum((i) => i % 9 === 0),
      6,
    );
    for (const region of [0, 1, 2, 3]) {
      expect(bySales.get(`["Region ${region}"]`)).toBeCloseTo(
        sum((i) => i % 9 !== 0 && i % 4 === region),
        6,
      );
    }
  });
});
