import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';

/** Measures that are shown as the average of their rows, or by another aggregate of a link. */

const AVERAGE = 'Sales average';
const of = (measure: string, ...row: string[]) => ({ row, column: [measure] });

test('a measure is shown as the average of its rows, and nothing is computed from it or typed into it', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const averages = async () => {
    const [row] = await service.query<{ all: string; east: string }>(
      `SELECT to_char(avg("Sales"), 'FM9990.00') AS all,
         to_char(avg("Sales") FILTER (WHERE "Region" = 'East'), 'FM9990.00') AS east
       FROM pf.fc_superstore_1 WHERE pf_iter <> 'reference'`,
    );
    return [row?.all, row?.east];
  };
  const pivot = new PivotPage(page);
  const measures = [
    'Sales',
    'Quantity',
    'Sales: reference',
    'Sales: Δ',
    'Sales: Δ %',
    'Sales: price',
  ];
  const named = encodeURIComponent(measures.map((name) => name.replace(':', '~:')).join(','));
  await pivot.open(1, `?rows=Region&columns=&measures=${named}`);
  const reference = await pivot.text(of('Sales: reference', 'East'));
  const sum = await pivot.text(of('Sales', 'East'));
  const share = await pivot.text(of('Sales: Δ %', 'East'));
  expect(share).toMatch(/%$/);

  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Arrange Sales', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: item }).press('Enter');
  };
  await page.keyboard.press('a');
  await choose('Show as average of its rows');
  const shown = () =>
    Promise.all([of(AVERAGE), of(AVERAGE, 'East')].map((cell) => pivot.text(cell)));
  await expect.poll(shown).toEqual(await averages());
  await expect(page.locator('[data-field="Sales"]')).toContainText(AVERAGE);
  // The sums beside it stay, and numbers that need the sum of Sales are empty.
  expect(await pivot.text(of('Sales: reference', 'East'))).toBe(reference);
  for (const computed of ['Sales: Δ', 'Sales: Δ %', 'Sales: price']) {
    expect(await pivot.text(of(computed, 'East'))).toBe('');
  }

  // The average follows a change and its undo, which add rows and remove them.
  await page.keyboard.press('Escape');
  await pivot.click(of('Quantity', 'East'));
  await pivot.scaleValue(10);
  const after = await averages();
  await expect.poll(shown).toEqual(after);
  await pivot.undo();
  const before = await averages();
  expect(before).not.toEqual(after);
  await expect.poll(shown).toEqual(before);

  await pivot.click(of(AVERAGE, 'East'));
  await page.keyboard.press('5');
  await expect(page.getByText(/^This cell does not show a sum/).first()).toBeVisible();

  // A link keeps the average, and the sums come back.
  await page.reload();
  await pivot.drawn();
  await expect.poll(shown).toEqual(before);
  await page.keyboard.press('a');
  await choose('Show as sum');
  await expect.poll(() => pivot.text(of('Sales', 'East'))).toBe(sum);
  expect(await pivot.text(of('Sales: Δ %', 'East'))).toBe(share);
});

test('a link with another aggregate and a number format shows both', async ({ page, service }) => {
  const [stored] = await service.query<{ rows: number; units: string }>(
    `SELECT count(*)::int AS rows, to_char(sum("Quantity"), 'FM99990.000') AS units FROM pf.fc_superstore_1 WHERE "Region" = 'East'`,
  );
  const pivot = new PivotPage(page);
  const address = '?rows=Region&columns=&measures=Sales,Quantity&total=Sales:count';
  const format = { number_format: { minimumFractionDigits: 3, useGrouping: false } };
  const written = JSON.stringify(format).replaceAll(':', '~:');
  await pivot.open(1, `${address}&format=${encodeURIComponent(`Quantity:${written}`)}`);
  expect(await pivot.number(of('Sales count', 'East'))).toBe(stored?.rows);
  expect(await pivot.text(of('Quantity', 'East'))).toBe(stored?.units);
});
