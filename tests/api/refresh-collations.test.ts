import { expect } from 'vitest';
import { it as base } from '../support/api';
import { planToRefresh, type SourceLine } from '../support/refreshing';

// The file adds an extension and a collation to the database.
const it = base.extend('env', { scope: 'file' }, {});

const LINES: SourceLine[] = ['North', 'NORTH', 'n'].map((Region) => [
  Region,
  'x',
  '2025-01-10',
  10,
  1,
]);

it.beforeAll(async ({ service }) => {
  await service.query(`CREATE EXTENSION citext;
    CREATE COLLATION same (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`);
});

it.for(['text COLLATE same', 'varchar(20) COLLATE same', 'citext'])(
  'refreshes and closes texts of the type %s apart that the source compares alike',
  async (type, { service }) => {
    const plan = await planToRefresh(service, LINES);
    await plan.change(`ALTER TABLE SOURCE ALTER "Region" TYPE ${type}`);
    await plan.load();
    const leaves = async (where: string) =>
      (await plan.leaves(where)).map((leaf) => [leaf[0], Number(leaf[4])]).toSorted();
    // The total of both spellings stays.
    const move = (amount: number) =>
      plan.change(`UPDATE SOURCE SET "Sales" = CASE "Region"::text COLLATE "C"
        WHEN 'North' THEN 10 + ${amount} WHEN 'NORTH' THEN 10 - ${amount} ELSE 10 END`);
    await move(2);
    await plan.refreshed();
    expect(await leaves(`pf_iter = 'baseline'`)).toEqual([
      ['NORTH', 8],
      ['North', 12],
      ['n', 10],
    ]);
    expect(await plan.refreshed()).toMatchObject({ logid: null });
    await move(3);
    await plan.change(`UPDATE SOURCE SET "Order Date" = "Order Date" + interval '1 year'`);
    await plan.done('actuals', { through: '2026-01-31' });
    expect(await leaves('TRUE')).toEqual([
      ['NORTH', 7],
      ['North', 13],
      ['n', 10],
    ]);
  },
);
