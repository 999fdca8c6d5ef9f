import { describe, expect, it } from 'vitest';
import type { Schema, Table } from './engine-types';
import { parseRows } from './columns-json';
import { FreePlaces, RowsLostError } from './free-places';
import { Gate } from './gate';
import {
  awkwardRows,
  bytesOf,
  SCHEMA,
  tableFrom,
  type Row,
} from '../../../tests/support/pivot-tables';

const WITH_TIMES: Schema = { ...SCHEMA, seen: 'datetime' };

describe('places that rows have left', () => {
  it('are gone once all rows are loaded anew, and each row is as it was', async () => {
    // More than are read of one view, with keys on both sides of zero.
    const rows = awkwardRows(140_000).map((row, i): Row => ({
      ...row,
      // Far apart, too: others lie between that are gone.
      pf_id: i < 60_000 ? 3 * (i - 60_000) : 5_000_000 + i,
      pf_note: null,
      seen: i % 5 === 0 ? null : Date.UTC(1969, 11, 31, i),
    }));
    const table = (await tableFrom(bytesOf(rows, WITH_TIMES))) as unknown as Table;
    await table.remove(rows.slice(50, 120).map(({ pf_id }) => Number(pf_id)));
    const view = await table.view();
    const [before, schema] = [await view.to_columns_string(), await table.schema()];

    const places = new FreePlaces(new Gate());
    places.changed(-1e6);
    expect(await places.makeFor(1e6, table)).toBe(true);
    expect(await view.to_columns_string()).toEqual(before);
    expect(await table.schema()).toEqual(schema);
    expect(await places.makeFor(1e6, table)).toBe(false);
    await view.delete();
  });

  it('are given up with an error that says so if the engine fails half way', async () => {
    const table = (await tableFrom(bytesOf(awkwardRows(70_000)))) as unknown as Table;
    let updates = 0;
    const failing = new Proxy(table, {
      get: (_, name) => {
        if (name === 'update' && ++updates > 2) return () => Promise.reject(new Error('full'));
        const member: unknown = Reflect.get(table, name);
        return typeof member === 'function' ? member.bind(table) : member;
      },
    });
    const gate = new Gate();
    const places = new FreePlaces(gate);
    places.changed(-1e6);
    await expect(places.makeFor(1e6, failing)).rejects.toThrow(RowsLostError);
    expect(gate.isClosed).toBe(false);
  });

  it('are left if few rows come, or few have gone', async () => {
    const table = (await tableFrom(bytesOf(awkwardRows(10)))) as unknown as Table;
    const places = new FreePlaces(new Gate());
    places.changed(-1e6);
    expect(await places.makeFor(100, table)).toBe(false);
    places.changed(1e6 - 100);
    expect(await places.makeFor(1e6, table)).toBe(false);
  });

  it('are left if no row is left, either', async () => {
    const rows = awkwardRows(10);
    const table = (await tableFrom(bytesOf(rows))) as unknown as Table;
    await table.remove(rows.map(({ pf_id }) => Number(pf_id)));
    expect(await table.size()).toBe(0);
    const places = new FreePlaces(new Gate());
    places.changed(-1e6);
    expect(await places.makeFor(1e6, table)).toBe(false);
  });

  it('keep nothing of them for the rows that come', async () => {
    const [first, second, ...others] = awkwardRows(6);
    const table = (await tableFrom(bytesOf([first!, second!]))) as unknown as Table;
    await table.remove([Number(first!.pf_id), Number(second!.pf_id)]);
    const schema = Object.keys(await table.schema());
    const keys = others.map(({ pf_id }) => Number(pf_id));
    // What is empty in every row is not sent.
    await table.update({ pf_id: keys });
    const view = await table.view();
    const { columns } = parseRows(await view.to_columns_string());
    for (const name of schema.filter((each) => each !== 'pf_id')) {
      expect(columns.get(name), name).toEqual(keys.map(() => null));
    }
    expect(columns.get('pf_id')).toEqual(keys);
    await view.delete();
  });
});
