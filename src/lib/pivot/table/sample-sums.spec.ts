import { expect, it } from 'vitest';
import { awkwardRows, tableOf } from '../../../../tests/support/pivot-tables';
import type { EngineTable } from '../values/engine-types';
import { sampleSums } from './sample-sums';

it('adds up all rows that the filters admit, with and without groups', async () => {
  const rows = awkwardRows(60);
  const table = (await tableOf(rows)) as unknown as EngineTable;
  const schema = await table.schema();
  const sums = (admitted: typeof rows) => admitted.reduce((all, row) => all + Number(row.value), 0);
  const alone = await sampleSums(table, {}, schema, ['value']);
  expect(alone.map(({ label }) => label)).toEqual([null]);
  expect(alone[0]?.sums.get('value')).toBeCloseTo(sums(rows), 6);
  const [region] = rows.map((row) => row.region).filter((name) => typeof name === 'string');
  const filter = [['region', '==', region as string] as [string, string, string]];
  const [filtered, ...others] = await sampleSums(table, { filter }, schema, ['value']);
  expect(others).toEqual([]);
  expect(filtered?.sums.get('value')).toBeCloseTo(sums(rows.filter((r) => r.region === region)), 6);
  const grouped = await sampleSums(table, { group_by: ['region'] }, schema, ['value']);
  expect(grouped.length).toBeGreaterThan(1);
  expect(grouped[0]).toEqual(alone[0]);
});
