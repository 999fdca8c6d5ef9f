import perspective from '@finos/perspective/node';
import { expect, it } from 'vitest';
import type { LayoutSort } from '../../../contract/stored-layout';
import type { Table } from '../../values/engine-types';
import { formulated, priceExpression } from '../../values/ratios';
import { Gate } from '../../waiting';
import { NOTHING } from '../views/beside';
import { Shown } from './shown';

const RATIOS = new Map([['price', formulated(priceExpression('value', 'units'))]]);
const ROWS = {
  region: ['East', 'East', 'North', 'North', 'West', 'West'],
  year: [2027, 2028, 2027, 2028, 2027, 2028],
  value: [10, 20, 300, 100, 40, 60],
  units: [1, 1, 1, 1, 10, 10],
};

/** Returns the regions in the order of the grid, with both measures shown as shares of their columns. */
async function regionsBy(...sort: LayoutSort[]): Promise<unknown[]> {
  const client: { table(data: unknown): Promise<unknown> } = perspective;
  const table = (await client.table(ROWS)) as Table;
  const view = await table.view({
    group_by: ['region'],
    split_by: ['year'],
    columns: ['value', 'units', 'price'],
    expressions: { price: '0.0' },
    sort,
  });
  const shown = new Shown(
    table,
    RATIOS,
    { untold: async () => ({ sort }), ...NOTHING },
    new Gate(),
  );
  await shown.adopt(view);
  await shown.showAs(
    new Map([
      ['value', 'share_of_column'],
      ['price', 'share_of_column'],
    ]),
  );
  const { paths } = await shown.readWindow(0, 0, 9, 9);
  await shown.dispose();
  return paths.flat();
}

it('shares of the parent column are sorted by the sums of all columns, where each is 100 %', async () => {
  expect(await regionsBy(['value', 'desc'])).toEqual(['North', 'West', 'East']);
  // 200 and 15 for each unit, and 5 in the West.
  expect(await regionsBy(['price', 'desc'])).toEqual(['North', 'East', 'West']);
  expect(await regionsBy(['price', 'asc'])).toEqual(['West', 'East', 'North']);
  expect(await regionsBy(['units', 'desc'], ['price', 'desc'])).toEqual(['West', 'North', 'East']);
});
