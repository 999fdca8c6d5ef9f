import { expect, test } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { arrange, PivotPage } from './pivot-page';

/** Further measures are columns of the pivot, beside value and units. */

test.use({ template: 'service' });

test('lists, adds up and formats a further measure, and says why it cannot be typed into', async ({
  page,
  service,
}) => {
  await service.query(`CREATE TABLE public.margins AS
    SELECT region, day::date, amount::numeric(12,2), pieces, cost::numeric(12,3)
    FROM (VALUES ('North', '2027-01-05', 100, 3, 60.125), ('North', '2027-02-05', 50, 2, 20.5),
      ('West', '2027-01-07', 80, 4, 41)) AS r (region, day, amount, pieces, cost)`);
  const { versionId } = await planTable(service, 'margins', {
    region: 'dimension',
    day: 'date',
    amount: 'value',
    pieces: 'units',
    cost: { role: 'measure', label: 'Cost' },
  });
  await service.api.post(`/versions/${versionId}/reference`, { pf_user: 'ann' });
  await service.api.post(`/versions/${versionId}/scale`, {
    ...{ slice: { region: 'North' }, pf_user: 'ann' },
    measures: { cost: { incr: 10 } },
  });
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, {
    group_by: ['region'],
    split_by: [],
    columns: ['amount', 'cost', 'cost: reference', 'cost: Δ'],
  });
  const at = (column: string, ...row: string[]) => ({ row, column: [column] });
  await expect.poll(() => pivot.text(at('cost', 'North'))).toBe('90.625');
  expect(await pivot.text(at('amount', 'North'))).toBe('150.00');
  expect(await pivot.text(at('cost: reference', 'North'))).toBe('80.625');
  expect(await pivot.text(at('cost: Δ', 'North'))).toBe('+10.000');
  expect(await pivot.text(at('cost', 'West'))).toBe('41.000');
  await pivot.click(at('cost', 'West'));
  await page.keyboard.press('5');
  await expect(page.getByText('“Cost” cannot be changed on this page').first()).toBeVisible();
});
