import { describe, expect, it } from 'vitest';
import { columnsIn } from './arrow-columns';
import { parseRows } from './columns-json';
import { toScalar } from './cell-value';
import type { Schema, Table } from './engine-types';
import { Gate } from './gate';
import { KnownValues } from './known-values';
import { Members } from './members';
import { TableRows } from './table-rows';
import {
  awkwardRows,
  bytesOf,
  SCHEMA,
  tableFrom,
  type Row,
} from '../../../tests/support/pivot-tables';

const ALL: Schema = { ...SCHEMA, pf_logid: 'integer', seen: 'datetime' };

const rowsOf = (pf_logid: number, count: number): Row[] =>
  awkwardRows(count, 7 + Math.abs(pf_logid)).map((row, i) => ({
    ...row,
    pf_id: 1000 * pf_logid + i,
    pf_logid,
    seen: i % 5 === 0 ? null : Date.UTC(1969, 11, 31, i % 30),
  }));

/** The members of rows that come in two parts, of which some go and others are another version's. */
async function membersOf(): Promise<{ members: Members; own: Row[] }> {
  const [first, second] = [
    [...rowsOf(1, 300), ...rowsOf(2, 200)],
    [...rowsOf(3, 100), ...rowsOf(-4, 100)],
  ];
  const engine = {
    table: () => Promise.reject(new Error('No table is made here')),
    emptyTable: () => Promise.reject(new Error('No table is made here')),
    update: () => Promise.resolve(),
  };
  const table = (await tableFrom(bytesOf(first, ALL))) as unknown as Table;
  const loaded = { table, names: new Set(['pf_id']) };
  const rows = new TableRows(engine, loaded, ALL, 'pf_id', new Gate());
  for (const part of [first, second]) rows.hold(columnsIn(bytesOf(part, ALL)));
  await rows.remove(2);
  const members = new Members(rows, ALL, new KnownValues(new Map(), []), (logid) => logid > 0);
  return { members, own: [...rowsOf(1, 300), ...rowsOf(3, 100)] };
}

describe('the values of a column', () => {
  it('are those that the engine has in the version’s own rows, with as many rows and their sum', async () => {
    const { members, own } = await membersOf();
    const table = (await tableFrom(bytesOf(own, ALL))) as unknown as Table;
    for (const column of Object.keys(ALL)) {
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
                  toScalar(value, ALL[column]),
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

  it('come in their order, the empty one first, and are found by what they contain', async () => {
    const { members } = await membersOf();
    const regions = (await members.counted('region', null)).map(({ value, sum }) => [value, sum]);
    const texts = regions.slice(1).map(([value]) => String(value));
    expect(regions[0]).toEqual([null, null]);
    expect(texts).toEqual(texts.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(await members.containing('region', ' ST', 5)).toEqual(['East', 'West']);
    expect(await members.containing('Order Date', '2019-02', 5)).toEqual(['2019-02-01']);
    expect(await members.containing('no column', '', 5)).toBeNull();
    expect(members.known('size')).toBeNull();
    expect((await members.containing('size', '', 9))?.length).toBe(5);
    expect(members.known('size')?.map(({ value }) => value)).toEqual([null, -1, 0, 1, 40]);
  });
});
