import { describe, expect, it } from 'vitest';
import { columnsIn } from '../rows/arrow-columns';
import { parseRows } from '../values/columns-json';
import { toScalar } from '../values/cell-value';
import type { Table } from '../values/engine-types';
import { Gate } from '../waiting';
import { KnownValues } from '../rows/known-values';
import { Members } from './members';
import { TableRows } from './table-rows';
import {
  bytesOf,
  LOGGED,
  rowsOfEntry,
  tableFrom,
  type Row,
} from '../../../../tests/support/pivot-tables';

/**
 * Builds the members of rows that arrive in two parts; some are removed, and some belong to another version.
 */
async function membersOf(): Promise<{ members: Members; own: Row[] }> {
  const [first, second] = [
    [...rowsOfEntry(1, 300), ...rowsOfEntry(2, 200)],
    [...rowsOfEntry(3, 100), ...rowsOfEntry(-4, 100)],
  ];
  const engine = {
    table: () => Promise.reject(new Error('No table is made here')),
    emptyTable: () => Promise.reject(new Error('No table is made here')),
    update: () => Promise.resolve(),
  };
  const table = (await tableFrom(bytesOf(first, LOGGED))) as unknown as Table;
  const loaded = { table, names: new Set(['pf_id']) };
  const rows = new TableRows(engine, loaded, LOGGED, 'pf_id', new Gate());
  for (const part of [first, second]) rows.hold(columnsIn(bytesOf(part, LOGGED)));
  await rows.remove(2);
  const members = new Members(rows, LOGGED, new KnownValues(new Map(), []), (logid) => logid > 0);
  return { members, own: [...rowsOfEntry(1, 300), ...rowsOfEntry(3, 100)] };
}

describe('the values of a column', () => {
  it("match the engine's values of the version's own rows, with the same row counts and sums", async () => {
    const { members, own } = await membersOf();
    const table = (await tableFrom(bytesOf(own, LOGGED))) as unknown as Table;
    for (const column of Object.keys(LOGGED)) {
      const view = await table.view({
        group_by: [column],
        columns: ['pf_id', 'units'],
        aggregates: { pf_id: 'count', units: 'sum' },
      });
      const { paths, columns } = parseRows(await view.to_columns_string());
      await view.delete();
      const wanted = new Map(
        (paths ?? []).flatMap(([value], y) =>
          value === undefined
            ? []
            : [
                [
                  toScalar(value, LOGGED[column]),
                  [columns.get('pf_id')?.[y], columns.get('units')?.[y]],
                ],
              ],
        ),
      );
      const counted = await members.counted(column, 'units');
      expect(counted.length, column).toBe(wanted.size);
      for (const { value, rows, sum } of counted) {
        expect([rows, sum], `${column} ${String(value)}`).toEqual(wanted.get(value));
      }
    }
  });

  it('are sorted with the empty value first, and can be searched by a part of their text', async () => {
    const { members } = await membersOf();
    const regions = (await members.counted('region', null)).map(({ value, sum }) => [value, sum]);
    const texts = regions.slice(1).map(([value]) => String(value));
    expect(regions[0]).toEqual([null, null]);
    expect(texts).toEqual(['', '0', 'a', 'a|b', 'b', 'East', 'false', 'null', 'value', 'West']);
    expect(await members.containing('region', ' ST', 5)).toEqual(['East', 'West']);
    expect(await members.containing('Order Date', '2019-02', 5)).toEqual(['2019-02-01']);
    expect(await members.containing('no column', '', 5)).toBeNull();
    expect(members.known('size')).toBeNull();
    expect((await members.containing('size', '', 9))?.length).toBe(5);
    expect(members.known('size')?.map(({ value }) => value)).toEqual([null, -1, 0, 1, 40]);
  });
});
