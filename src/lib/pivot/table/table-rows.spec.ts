import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { columnsIn, joined, type ArrowColumns } from '../rows/arrow-columns';
import { parseRows } from '../values/columns-json';
import type { Schema, Table } from '../values/engine-types';
import { Gate } from '../waiting';
import { RowsLostError, TableRows } from './table-rows';
import {
  bytesOf,
  emptyTable,
  LOGGED,
  rowsOfEntry,
  tableFrom,
  type Row,
} from '../../../../tests/support/pivot-tables';

const columnsOf = (rows: Row[], schema: Schema = LOGGED): ArrowColumns =>
  columnsIn(bytesOf(rows, schema));

/** An engine as the page has it; it fails only when a test makes it fail. */
const engine = {
  table: (parts: readonly Uint8Array[]) => tableFrom(joined(parts)) as unknown as Promise<Table>,
  emptyTable: (schema: Schema) => emptyTable(schema) as unknown as Promise<Table>,
  update: (table: Table, parts: readonly Uint8Array[]) => table.update(joined(parts)),
};

const holding = (...parts: Row[][]) => holdingOnly(Object.keys(LOGGED), ...parts);

/** Creates rows of which the table has only some columns. */
async function holdingOnly(names: readonly string[], ...parts: Row[][]) {
  const [first = [], ...others] = parts;
  const schema = pick(LOGGED, names);
  const table = (await tableFrom(bytesOf(first, schema))) as unknown as Table;
  let cleared = 0;
  const counted = new Proxy(table, {
    get: (_, name) => {
      if (name === 'clear') cleared++;
      const member: unknown = Reflect.get(table, name);
      return typeof member === 'function' ? member.bind(table) : member;
    },
  });
  const gate = new Gate();
  const loaded = { table: counted, names: new Set(names) };
  const rows = new TableRows(engine, loaded, LOGGED, 'pf_id', gate);
  rows.hold(columnsOf(first));
  for (const part of others) await rows.append(columnsOf(part));
  return { table, rows, gate, cleared: () => cleared };
}

/** Returns the content of a table, sorted by key. */
async function contentOf(table: Table): Promise<Map<string, unknown>> {
  const view = await table.view({ sort: [['pf_id', 'asc']] });
  try {
    return new Map(parseRows(await view.to_columns_string()).columns);
  } finally {
    await view.delete();
  }
}

const pick = (schema: Schema, names: readonly string[]): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)));

/** Returns the content of a new table that was given only these rows. */
async function contentOfOnly(rows: Row[], schema: Schema = LOGGED): Promise<Map<string, unknown>> {
  return contentOf((await tableFrom(bytesOf(rows, schema))) as unknown as Table);
}

/** Vitest compares a million values in seconds, Node in a fraction of one; Vitest shows a difference. */
function expectContent(content: Map<string, unknown>, expected: Map<string, unknown>): void {
  if (!isDeepStrictEqual(content, expected)) expect(content).toEqual(expected);
}

describe('the rows of a table', () => {
  it('are added and removed, and are counted by entry', async () => {
    const { table, rows, cleared } = await holding(
      [...rowsOfEntry(1, 30), ...rowsOfEntry(2, 20)],
      rowsOfEntry(3, 10),
    );
    expect([...rows.entries]).toEqual([1, 2, 3]);
    expect(rows.count((logid) => logid !== 3)).toBe(50);
    expect(await rows.remove(2)).toBe(false);
    expect(await rows.remove(9)).toBe(false);
    expect([...rows.entries]).toEqual([1, 3]);
    expectContent(
      await contentOf(table),
      await contentOfOnly([...rowsOfEntry(1, 30), ...rowsOfEntry(3, 10)]),
    );
    expect(cleared()).toBe(0);
  });

  it('are reloaded with the same content if many of them are removed', async () => {
    // The rows of both entries alternate, so the bits and texts of the remaining rows are far apart.
    const [staying, going] = [rowsOfEntry(1, 40_000), rowsOfEntry(2, 40_000)];
    const { table, rows, cleared } = await holding(
      staying.flatMap((row, i) => [going[i]!, row]),
      rowsOfEntry(3, 10),
    );
    const schema = await table.schema();
    const view = await table.view({ group_by: ['region'], columns: ['value'] });
    expect(await rows.remove(2)).toBe(true);
    expect(cleared()).toBe(1);
    expect(await table.schema()).toEqual(schema);
    expectContent(await contentOf(table), await contentOfOnly([...staying, ...rowsOfEntry(3, 10)]));
    expect(await view.num_rows()).toBeGreaterThan(1);
    await view.delete();
  });

  it('are reloaded if many are added after many were removed', async () => {
    const staying = rowsOfEntry(1, 100_000);
    const { table, rows, cleared } = await holding(staying, rowsOfEntry(2, 40_000));
    expect(await rows.remove(2)).toBe(false);
    expect(await rows.append(columnsOf(rowsOfEntry(3, 100)))).toBe(false);
    expect(await rows.append(columnsOf(rowsOfEntry(4, 40_000)))).toBe(true);
    expect(cleared()).toBe(1);
    const all = [...staying, ...rowsOfEntry(3, 100), ...rowsOfEntry(4, 40_000)];
    expectContent(await contentOf(table), await contentOfOnly(all));
    // No row position is free now.
    expect(await rows.append(columnsOf(rowsOfEntry(5, 40_000)))).toBe(false);
  });

  it('have one group of empty values after a reload, and after more rows were added', async () => {
    const columns = ['region', 'flag', 'Order Date', 'size', 'seen', 'pf_note'];
    const none = rowsOfEntry(1, 500).map((row): Row => ({
      ...row,
      ...{ region: 'West', flag: true, 'Order Date': '2019-01-01', size: 1, rate: 1, seen: 0 },
      ...{ 'sub-category': 'a', pf_note: null },
    }));
    for (const staying of [[...rowsOfEntry(1, 500), ...rowsOfEntry(4, 500)], none, []]) {
      const { table, rows } = await holding(
        [...rowsOfEntry(2, 30_000), ...staying],
        rowsOfEntry(5, 300),
      );
      await rows.remove(5);
      await rows.append(columnsOf(rowsOfEntry(6, 200)));
      expect(await rows.remove(2)).toBe(true);
      const now = [...staying, ...rowsOfEntry(6, 200)];
      const check = async () => {
        for (const column of columns) {
          const grouped = await table.view({ group_by: [column], columns: ['value'] });
          const { paths } = parseRows(await grouped.to_columns_string());
          await grouped.delete();
          const values = new Set(now.map((row) => row[column] ?? null));
          expect(paths, column).toHaveLength(1 + values.size);
        }
      };
      await check();
      await rows.append(columnsOf(rowsOfEntry(7, 400)));
      now.push(...rowsOfEntry(7, 400));
      await check();
      // After the last row is removed, loading starts over.
      for (const logid of rows.entries) await rows.remove(logid);
      await rows.append(columnsOf(rowsOfEntry(8, 300)));
      await rows.append(columnsOf(rowsOfEntry(9, 300)));
      now.splice(0, now.length, ...rowsOfEntry(8, 300), ...rowsOfEntry(9, 300));
      await check();
    }
  });

  it('run changes one after the other', async () => {
    const { table, rows } = await holding(
      [...rowsOfEntry(1, 30_000), ...rowsOfEntry(2, 30_000)],
      rowsOfEntry(3, 50),
    );
    await Promise.all([
      rows.append(columnsOf(rowsOfEntry(4, 20))),
      rows.remove(2),
      rows.remove(3),
      rows.append(columnsOf(rowsOfEntry(5, 10))),
      rows.remove(9),
    ]);
    const left = [...rowsOfEntry(1, 30_000), ...rowsOfEntry(4, 20), ...rowsOfEntry(5, 10)];
    expectContent(await contentOf(table), await contentOfOnly(left));
    expect(rows.count(() => true)).toBe(left.length);
  });

  it('can all be removed', async () => {
    for (const count of [10, 30_000]) {
      const { table, rows } = await holding(rowsOfEntry(1, count));
      await rows.remove(1);
      expect(await table.size()).toBe(0);
      expect([...rows.entries]).toEqual([]);
      // A column without values is not sent, and has no values of earlier rows.
      const few = rowsOfEntry(2, 4).map(({ pf_id, pf_logid }): Row => ({
        pf_id: pf_id!,
        pf_logid: pf_logid!,
      }));
      await rows.append(columnsOf(few, { pf_id: 'integer', pf_logid: 'integer' }));
      const content = await contentOf(table);
      for (const name of Object.keys(LOGGED)) {
        expect(content.get(name), name).toEqual(few.map((row) => row[name] ?? null));
      }
    }
  });

  it('are lost, with an error, if the engine fails during a reload', async () => {
    const table = (await tableFrom(bytesOf(rowsOfEntry(1, 10), LOGGED))) as unknown as Table;
    const failing = { ...engine, update: () => Promise.reject(new Error('full')) };
    const gate = new Gate();
    const loaded = { table, names: new Set(Object.keys(LOGGED)) };
    const rows = new TableRows(failing, loaded, LOGGED, 'pf_id', gate);
    rows.hold(columnsOf([...rowsOfEntry(1, 10), ...rowsOfEntry(2, 30_000)]));
    await expect(rows.remove(2)).rejects.toThrow(RowsLostError);
    expect(gate.isClosed).toBe(false);
  });

  it('have one entry if their column names none', async () => {
    const { pf_logid: _, ...untold } = LOGGED;
    const table = (await tableFrom(bytesOf(rowsOfEntry(1, 10), untold))) as unknown as Table;
    const loaded = { table, names: new Set(Object.keys(untold)) };
    const rows = new TableRows(engine, loaded, untold, 'pf_id', new Gate());
    rows.hold(columnsOf(rowsOfEntry(1, 10), untold));
    await rows.append(columnsOf(rowsOfEntry(2, 30_000), untold));
    expect(rows.count(() => true)).toBe(30_010);
  });
});

describe('columns of a table', () => {
  const SOME = ['pf_id', 'pf_logid', 'region', 'value'];

  it('are loaded once, with all existing rows', async () => {
    const { table, rows } = await holdingOnly(SOME, [...rowsOfEntry(1, 50), ...rowsOfEntry(2, 30)]);
    await rows.append(columnsOf(rowsOfEntry(3, 20)));
    await rows.remove(2);
    expect(rows.has(['region', 'no column'])).toBe(true);
    expect(await rows.bring(['region', 'no column'])).toBeNull();
    expect(rows.has(['flag'])).toBe(false);
    expect(await rows.bring(['flag', 'seen', 'value'])).not.toBeNull();
    const left = [...rowsOfEntry(1, 50), ...rowsOfEntry(3, 20)];
    const now = pick(LOGGED, [...SOME, 'flag', 'seen']);
    expect(rows.table).not.toBe(table);
    expect(await rows.table.schema()).toEqual(now);
    expectContent(await contentOf(rows.table), await contentOfOnly(left, now));
    await rows.append(columnsOf(rowsOfEntry(4, 10)));
    await rows.remove(1);
    const after = [...rowsOfEntry(3, 20), ...rowsOfEntry(4, 10)];
    expectContent(await contentOf(rows.table), await contentOfOnly(after, now));
    // The previous table is unchanged.
    expectContent(await contentOf(table), await contentOfOnly(left, pick(LOGGED, SOME)));
  });

  it('are loaded if the first remaining rows do not have them', async () => {
    const { rows } = await holdingOnly(SOME, rowsOfEntry(1, 50), rowsOfEntry(2, 30));
    const few = rowsOfEntry(3, 4).map(({ pf_id, pf_logid }): Row => ({
      pf_id: pf_id!,
      pf_logid: pf_logid!,
    }));
    await rows.append(columnsOf(few, { pf_id: 'integer', pf_logid: 'integer' }));
    await rows.remove(1);
    await rows.remove(2);
    await rows.append(columnsOf(rowsOfEntry(4, 10)));
    await rows.bring(['flag', 'Order Date']);
    const now = pick(LOGGED, [...SOME, 'flag', 'Order Date']);
    expect(await rows.table.schema()).toEqual(now);
    const all = [
      ...few.map((row): Row => ({
        region: null,
        value: null,
        flag: null,
        'Order Date': null,
        ...row,
      })),
      ...rowsOfEntry(4, 10),
    ];
    expectContent(await contentOf(rows.table), await contentOfOnly(all, now));
  });

  it('have one group of empty values', async () => {
    const { rows } = await holdingOnly(SOME, rowsOfEntry(1, 500), rowsOfEntry(2, 300));
    for (const column of ['flag', 'size', 'seen', 'Order Date']) {
      await rows.bring([column]);
      await rows.append(columnsOf(rowsOfEntry(3, 200)));
      const all = [...rowsOfEntry(1, 500), ...rowsOfEntry(2, 300), ...rowsOfEntry(3, 200)];
      for (const name of ['region', column]) {
        const grouped = await rows.table.view({ group_by: [name], columns: ['value'] });
        const { paths } = parseRows(await grouped.to_columns_string());
        await grouped.delete();
        expect(paths, name).toHaveLength(1 + new Set(all.map((row) => row[name] ?? null)).size);
      }
      await rows.remove(3);
    }
  });

  it('are loaded between changes, and leave the table unchanged if loading fails', async () => {
    const { table, rows } = await holdingOnly(SOME, rowsOfEntry(1, 300), rowsOfEntry(2, 100));
    await Promise.all([
      rows.append(columnsOf(rowsOfEntry(3, 20))),
      rows.bring(['flag']),
      rows.remove(2),
      rows.bring(['rate']),
      rows.append(columnsOf(rowsOfEntry(4, 10))),
    ]);
    const all = [...rowsOfEntry(1, 300), ...rowsOfEntry(3, 20), ...rowsOfEntry(4, 10)];
    const now = pick(LOGGED, [...SOME, 'flag', 'rate']);
    expectContent(await contentOf(rows.table), await contentOfOnly(all, now));
    expect(rows.table).not.toBe(table);

    const failing = { ...engine, table: () => Promise.reject(new Error('full')) };
    const loaded = { table, names: new Set(SOME) };
    const others = new TableRows(failing, loaded, LOGGED, 'pf_id', new Gate());
    others.hold(columnsOf(rowsOfEntry(1, 300)));
    await expect(others.bring(['flag'])).rejects.toThrow('full');
    expect(others.table).toBe(table);
    expect(others.has(['flag'])).toBe(false);
  });

  it('return the values of a row by its key, whether or not the table has them', async () => {
    const { rows } = await holdingOnly(SOME, rowsOfEntry(1, 50), rowsOfEntry(2, 30));
    const row = rowsOfEntry(2, 30)[7]!;
    expect(rows.valuesOf(row.pf_id!, ['flag', 'region', 'none'])).toEqual([
      row.flag,
      row.region,
      null,
    ]);
    expect(rows.valuesOf(-1, ['flag'])).toBeUndefined();
    await rows.remove(2);
    expect(rows.valuesOf(row.pf_id!, ['flag'])).toBeUndefined();
  });
});
