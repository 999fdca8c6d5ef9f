import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** Explains a number by the amounts of each log entry. */

const FURNITURE = { Category: 'Furniture' };
const YEAR = { 'Order Date': { from: '2028-01-01', to: '2028-12-31' } };
const at = (row: string[], measure = 'Sales') => ({ row, column: ['2028', measure] });
const CHAIRS = at(['Furniture', 'Chairs']);

const why = (page: Page) => page.getByRole('region', { name: 'Why', exact: true });
const rows = (page: Page) => why(page).locator('[data-logid]');
/** The last number of the waterfall. */
const end = (page: Page) => why(page).getByRole('listitem').filter({ hasText: /^Now/ });
const numberIn = (text: string) => Number(/[-+]?[\d,]*\.?\d+$/.exec(text)?.[0].replaceAll(',', ''));

interface Explained {
  entries: { logid: number; excluded: boolean; value_total: number; units_total: number }[];
  included: { value_total: number; units_total: number };
}
async function explained(service: Service, slice: object): Promise<Explained> {
  const body = { slice: { ...slice, ...YEAR } };
  return (await service.api.post('/versions/1/explain', body)).body;
}

/** Formats an amount like the page: a whole number without decimals, otherwise with two. */
const written = (amount: number) =>
  amount.toLocaleString('en-US', {
    minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
    maximumFractionDigits: 2,
  });

/** Checks that the page shows the service's amount of each entry, and their sum, the number on screen. */
async function agrees(pivot: PivotPage, service: Service, cell: typeof CHAIRS, slice: object) {
  const measure = cell.column[1] === 'Quantity' ? 'units_total' : 'value_total';
  await expect(async () => {
    const { entries, included } = await explained(service, slice);
    const total = written(included[measure]);
    expect(await end(pivot.page).innerText()).toMatch(new RegExp(`\\s${total}$`));
    expect(await pivot.number(cell)).toBe(numberIn(total));
    for (const entry of entries.filter(({ excluded }) => !excluded)) {
      const row = why(pivot.page).locator(`[data-logid="${entry.logid}"]`);
      const amount = await row.locator('.amount').innerText();
      expect(amount.trim().replace('+', '')).toBe(written(entry[measure]));
    }
  }).toPass();
}

test('a waterfall shows who changed the number, and each of its bars can be undone', async ({
  page,
  service,
}) => {
  const write = (body: object) =>
    service.api.post('/versions/1/scale', { pf_user: 'ben', slice: FURNITURE, ...body });
  await write({ pct: 10, note: 'a new range' });
  await write({ slice: { 'Sub-Category': 'Chairs' }, value_incr: -5000, pf_user: 'eve' });
  for (const value_incr of [10, 20, 30, 40]) await write({ value_incr });
  const pivot = new PivotPage(page);
  await pivot.open(1);

  // The key opens it, even without a selection, and it follows the selection.
  await page.keyboard.press('w');
  await pivot.click(CHAIRS);
  await agrees(pivot, service, CHAIRS, { 'Sub-Category': 'Chairs' });
  await expect(rows(page)).toHaveCount(7);
  await expect(rows(page).first()).toContainText('baseline');
  await expect(rows(page).nth(1)).toContainText(/\+10 %.*ben.*a new range/s);
  await expect(rows(page).nth(2)).toContainText('eve');
  await pivot.click(at(['Furniture']));
  await agrees(pivot, service, at(['Furniture']), FURNITURE);

  // The measure is the measure of the cell, until another one is chosen.
  await pivot.click(at(['Furniture'], 'Quantity'));
  await expect(why(page).getByRole('tab', { name: 'Quantity' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await agrees(pivot, service, at(['Furniture'], 'Quantity'), FURNITURE);
  await why(page).getByRole('tab', { name: 'Sales' }).click();
  await expect(end(page)).toContainText(
    written((await explained(service, FURNITURE)).included.value_total),
  );

  // Changes by others arrive, and small entries share a bar.
  await pivot.click(CHAIRS);
  for (const value_incr of [50, 60, 70]) await write({ value_incr });
  const fold = why(page).getByRole('button', { name: /^2 more/ });
  await expect(fold).toBeVisible();
  await expect(rows(page)).toHaveCount(8);
  await fold.click();
  await expect(rows(page)).toHaveCount(10);
  await agrees(pivot, service, CHAIRS, { 'Sub-Category': 'Chairs' });

  // Pointing at an entry marks its cells, a click shows it alone, and another click everything.
  const ofEve = rows(page).filter({ hasText: 'eve' });
  await ofEve.hover();
  await expect(pivot.grid.locator('td.pf-hint').first()).toBeVisible();
  await ofEve.getByRole('button', { name: /^(?!Undo).*eve/ }).click();
  await expect(page.getByText(/^Showing only the rows of entry 3/)).toBeVisible();
  await expect.poll(() => pivot.number(CHAIRS)).toBeLessThan(0);
  await expect(ofEve.getByRole('button', { name: /^(?!Undo).*eve/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await ofEve.getByRole('button', { name: /^(?!Undo).*eve/ }).click();
  await expect(page.getByText(/^Showing only the rows of entry/)).toHaveCount(0);
  await expect.poll(() => pivot.number(CHAIRS)).toBeGreaterThan(0);

  // An undo removes its bar; an earlier state of the plan has no undo.
  await rows(page).filter({ hasText: 'eve' }).getByRole('button', { name: 'Undo entry 3' }).click();
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  await expect(rows(page).filter({ hasText: 'eve' })).toHaveCount(0);
  await agrees(pivot, service, CHAIRS, { 'Sub-Category': 'Chairs' });
  const log = await pivot.log();
  await log.getByRole('button', { name: 'Show the plan as it was after entry 2' }).click();
  await expect(page.getByText(/^The plan as it was after entry 2/)).toBeVisible();
  const asOf = why(page)
    .getByRole('listitem')
    .filter({ hasText: /^As of entry 2/ });
  await expect(async () => {
    await pivot.click(CHAIRS);
    await expect(asOf).toBeVisible({ timeout: 5000 });
  }).toPass();
  expect(numberIn(await asOf.innerText())).toBeCloseTo(await pivot.number(CHAIRS), 2);
  await expect(rows(page)).toHaveCount(2);
  await expect(why(page).getByRole('button', { name: 'Undo entry 2' })).toBeDisabled();
});

test('a difference is explained from the reference to the plan, and a failure is reported', async ({
  page,
  service,
}) => {
  await service.api.post('/versions/1/reference', {
    date_offset: '14 years',
    where_clause: 'TRUE',
    pf_user: 'ana',
    note: 'last year',
  });
  await service.api.post('/versions/1/scale', { pf_user: 'ben', slice: FURNITURE, pct: -10 });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const plan = at(['Furniture']);

  // For the plan's cell, the reference is listed separately.
  await pivot.click(plan);
  await pivot.panel.getByRole('button', { name: 'Why' }).click();
  await agrees(pivot, service, plan, FURNITURE);
  await expect(why(page)).toContainText('Not in this number');
  await expect(rows(page).last()).toContainText('last year');

  await pivot.click(at(['Furniture'], 'Sales: Δ'));
  const instead = why(page).getByRole('button', { name: /^Baseline in place of the reference/ });
  await expect(instead).toBeVisible();
  await expect(why(page)).not.toContainText('Not in this number');
  const reference = await pivot.number(at(['Furniture'], 'Sales: reference'));
  const amounts = await Promise.all([
    rows(page).first().locator('.amount').innerText(),
    instead.innerText(),
    rows(page).last().locator('.amount').innerText(),
    end(page).innerText(),
  ]);
  const [from = 0, change = 0, ofBen = 0, to = 0] = amounts.map((text) => numberIn(text.trim()));
  expect(from).toBeCloseTo(reference, 2);
  expect(from + change + ofBen).toBeCloseTo(to, 2);
  expect(to).toBeCloseTo(await pivot.number(plan), 2);
  expect(to - from).toBeCloseTo(await pivot.number(at(['Furniture'], 'Sales: Δ')), 2);
  await instead.press('Enter');
  await expect(rows(page)).toHaveCount(3);

  // An answer for another cell is not shown for this one.
  let asked = 0;
  await page.route('**/explain', (route) => {
    asked += 1;
    return route.abort();
  });
  await pivot.click(at(['Technology']));
  await expect(why(page).getByRole('alert')).toContainText('The server does not answer');
  // An automatic request would remove the button.
  const askedMeanwhile = async () => {
    const before = asked;
    await page.waitForTimeout(500);
    return asked - before;
  };
  await expect.poll(askedMeanwhile).toBe(0);
  await page.unroute('**/explain');
  await why(page).getByRole('button', { name: 'Try again' }).click();
  await agrees(pivot, service, at(['Technology']), { Category: 'Technology' });

  // Ctrl+Enter writes nothing that is not on screen.
  await page.keyboard.press('Control+Enter');
  await expect(pivot.panel.getByRole('form', { name: 'Operation' })).toBeVisible();
  await expect(why(page)).toHaveCount(0);
});
