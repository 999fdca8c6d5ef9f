import { readFileSync } from 'node:fs';
import { expect, test, visit } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { addFamilies } from './families';
import { closedQuarter } from './states';

test('the accuracy of closed months is shown by cell, entry and person, and exported', async ({
  page,
  service,
}) => {
  await closedQuarter(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.log();
  await page.getByRole('link', { name: 'Accuracy of the forecast' }).click();
  const summary = page.getByTestId('accuracy');
  await expect(summary).toContainText(
    /^The forecast was [\d.]+ % off, and [\d.]+ % too (high|low)/,
  );
  const total = await summary.textContent();

  // Smaller cells cannot make up for each other, so the error grows.
  await page.getByLabel('Region', { exact: true }).check();
  await expect(page).toHaveURL(/by=Region/);
  await expect(summary).not.toHaveText(total ?? '');
  const { body } = await service.api.get('/versions/1/accuracy?by=Region');
  const percent = (share: number) =>
    `${(Math.abs(share) * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })} %`;
  await expect(summary).toContainText(`${percent(body.forecast.value.wape)} off`);

  const steps = page.getByRole('region', { name: 'Error after each entry' });
  await expect(steps.locator('tbody tr')).toHaveCount(3);
  await expect(steps.locator('tbody tr').nth(1)).toContainText('The West grows');
  await expect(page.getByText('bob’s 1 change made it')).toBeHidden();
  await page.getByText('By person').click();
  await expect(
    page.getByText(/^bob’s 1 change made it [\d.]+ points? (better|worse)\.$/),
  ).toBeVisible();

  await page.getByLabel('Measure').selectOption('Quantity');
  await expect(summary).toContainText(`${percent(body.forecast.units.wape)} off`);
  // The cells with the largest differences are those of the chosen measure.
  const byUnits = (await service.api.get('/versions/1/accuracy?by=Region&measure=units')).body;
  await expect(
    page.getByRole('heading', { name: 'Largest differences of Quantity' }),
  ).toBeVisible();
  const shown = page.getByRole('region', { name: 'Largest differences' }).locator('tbody th');
  await expect(shown).toHaveText(
    byUnits.worst.map(({ cell }: { cell: { Region: string } }) => cell.Region),
  );
  await page.reload();
  await expect(summary).toContainText(`${percent(body.forecast.units.wape)} off`);
  await page.getByLabel('Measure').selectOption('Sales');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[2]).toContain(
    `bob,${body.entries[1].stamp},The West grows,${body.entries[1].value.wape}`,
  );

  // The worst cell leads to its rows.
  const [worst] = body.worst;
  const first = page
    .getByRole('region', { name: 'Largest differences' })
    .locator('tbody tr')
    .first();
  await expect(first).toContainText(worst.cell.Region);
  await first.getByRole('link').click();
  await pivot.drawn();
  const cell = (await pivot.cells()).find(
    ({ row, column }) => row.length === 0 && column?.at(-1) === 'Sales',
  );
  expect(Number(cell?.text.replaceAll(',', ''))).toBeCloseTo(worst.actual.value, 2);
});

test('cells can be the families of a lookup, and lead to their rows', async ({ page, service }) => {
  await closedQuarter(service);
  await addFamilies(service);
  await visit(page, '/versions/1/accuracy');
  await page.getByLabel('Family', { exact: true }).check();
  await expect(page).toHaveURL(/by=Family/);
  const { body } = await service.api.get('/versions/1/accuracy?by=Family');
  const families = body.worst.map(({ cell }: { cell: { Family: string | null } }) => cell.Family);
  expect(new Set(families)).toEqual(new Set(['Seating', 'Storage', 'Devices', null]));
  const lines = page.getByRole('region', { name: 'Largest differences' }).locator('tbody tr');
  await expect(lines.locator('th')).toHaveText(
    families.map((family: string | null) => family ?? '(empty)'),
  );
  const place = families.indexOf('Seating');
  await lines.nth(place).getByRole('link').click();
  const pivot = new PivotPage(page);
  await pivot.drawn();
  const cell = (await pivot.cells()).find(
    ({ row, column }) => row.length === 0 && column?.at(-1) === 'Sales',
  );
  expect(Number(cell?.text.replaceAll(',', ''))).toBeCloseTo(body.worst[place].actual.value, 2);
});

test('without closed months the page says how to get there', async ({ page }) => {
  await visit(page, '/versions/1/accuracy');
  await expect(page.getByText('No closed months')).toBeVisible();
});
