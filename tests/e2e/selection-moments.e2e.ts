import { test, expect } from '../support/e2e';
import { PivotPage } from './pivot-page';

const TABLE = 'pf.fc_superstore_1';
const chairs = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const phones = { row: ['Technology', 'Phones'], column: ['2028', 'Sales'] };

test('Ctrl+Enter directly after a click changes the clicked cell', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(chairs);
  await pivot.type('Percent', '10');
  const at = await pivot.find(phones);
  if (!at) throw new Error('The cell is not on screen.');
  await page.mouse.click(at.x, at.y);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const changed = await service.query(
    `SELECT DISTINCT "Sub-Category" AS sub, "Order Year" AS year FROM ${TABLE} WHERE pf_iter = 'scale'`,
  );
  expect(changed).toEqual([{ sub: 'Phones', year: 2028 }]);
});

test('a cell added immediately is added to the previously clicked one', async ({
  page,
  service,
}) => {
  const tables = { ...chairs, row: ['Furniture', 'Tables'] };
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(phones);
  // The two are not one slice, so the slice of the first disappears.
  await pivot.press(tables, { ctrl: true });
  await expect(page.getByTestId('marked')).toContainText('2 cells');
  // Both are clicked before the first one is read.
  const places = await Promise.all([pivot.find(chairs), pivot.find(tables)]);
  await pivot.grid.evaluate((grid, clicks) => {
    const root = grid.getRootNode() as ShadowRoot;
    for (const [i, at] of clicks.entries()) {
      const press = { button: 0, ctrlKey: i > 0, bubbles: true, composed: true };
      root
        .elementFromPoint(at?.x ?? 0, at?.y ?? 0)
        ?.dispatchEvent(new MouseEvent('mousedown', press));
    }
  }, places);
  await expect(pivot.slice).toContainText('Sub-Category in Chairs, Tables');
  await page.keyboard.type('+1%');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const changed = await service.query(
    `SELECT DISTINCT "Sub-Category" AS sub FROM ${TABLE} WHERE pf_iter = 'scale' ORDER BY 1`,
  );
  expect(changed).toEqual([{ sub: 'Chairs' }, { sub: 'Tables' }]);
});

test('a click on a cell that is being redrawn ends the selection and says so', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(chairs);
  await expect(pivot.slice).toBeVisible();
  const at = await pivot.find(phones);
  if (!at) throw new Error('The cell is not on screen.');
  // Replaces the cell's element by a new one that the grid does not know yet.
  await pivot.grid.evaluate((element, { x, y }) => {
    const grid = element as HTMLElement & { getMeta(cell: Element): unknown };
    const root = grid.getRootNode() as Document | ShadowRoot;
    const cell = root.elementFromPoint(x, y)?.closest('td');
    if (!cell) throw new Error('There is no cell here.');
    const anew = cell.cloneNode(true) as Element;
    cell.replaceWith(anew);
    const getMeta = grid.getMeta.bind(grid);
    grid.getMeta = (other) => getMeta(other === anew ? cell : other);
  }, at);
  await page.mouse.click(at.x, at.y);
  await expect(page.getByText(/Click the cell again/)).toBeVisible();
  await expect(pivot.slice).toHaveCount(0);
});

test('cells that are not one slice are marked, and no operation can select them', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(chairs);
  await pivot.type('Percent', '10');
  const apart = await pivot.find({ ...phones, column: ['2029', 'Sales'] });
  if (!apart) throw new Error('The cell is not on screen.');
  await page.keyboard.down('Control');
  await page.mouse.click(apart.x, apart.y);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/differ in more than one column/).first()).toBeVisible();
  const marked = pivot.grid.locator('td.pf-selected');
  await expect(marked).toHaveCount(2);
  await expect(pivot.slice).toHaveCount(0);
  // After its removal, the other one stays selected, and the arrow keys continue from there.
  await page.mouse.click(apart.x, apart.y);
  await page.keyboard.up('Control');
  await expect(marked).toHaveCount(1);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).toHaveLength(0);
  const before = await marked.boundingBox();
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await marked.boundingBox())?.x).toBeGreaterThan(before?.x ?? 0);
  expect((await marked.boundingBox())?.y).toBe(before?.y);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
});

test('a selection ends if its row is hidden, and the arrow keys continue from there', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(chairs);
  const furniture = pivot.grid.locator('tbody th', { hasText: /^Furniture$/ });
  await furniture.click({ position: { x: 8, y: 8 } });
  await expect.poll(() => pivot.find(chairs)).toBeNull();
  await expect(pivot.slice).toHaveCount(0);
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(pivot.slice).toContainText('Category = Office Supplies');
  await expect(pivot.slice).not.toContainText('Sub-Category');
});

test('a percentage applies to the stored rows, and the page names who changed them', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.missEvents();
  await pivot.open(1);
  await pivot.click(chairs);
  await pivot.type('Percent', '10');
  await expect(page.getByText(/numbers on screen are out of date/)).toHaveCount(0);
  const slice = { 'Sub-Category': 'Chairs', 'Order Year': 2028 };
  const theirs = { slice, value_incr: 500_000, pf_user: 'bea' };
  expect((await service.api.post('/versions/1/scale', theirs)).status).toBe(200);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const [{ before, added }] = await service.query(
    `SELECT sum("Sales") FILTER (WHERE pf_logid < last)::float8 AS before,
            sum("Sales") FILTER (WHERE pf_logid = last)::float8 AS added
       FROM ${TABLE}, (SELECT max(pf_logid) AS last FROM ${TABLE}) AS newest
      WHERE "Sub-Category" = 'Chairs' AND "Order Year" = 2028`,
  );
  expect(added).toBeCloseTo(before / 10, 1);
  await expect(page.getByText(/someone else has changed this version/)).toBeVisible();
});

test('a text can be recoded to the empty text', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(chairs);
  await (await pivot.newValue('Sub-Category')).click();
  await page.getByRole('option', { name: '(blank text)' }).click();
  await pivot.apply.click();
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  const [{ n }] = await service.query(
    `SELECT count(*)::int AS n FROM ${TABLE} WHERE pf_iter = 'recode' AND "Sub-Category" = ''`,
  );
  expect(n).toBeGreaterThan(0);
  await expect.poll(() => pivot.find({ row: ['Furniture', '(blank)'] })).not.toBeNull();
});

test('a text can be recoded to the name of the empty value', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(chairs);
  const field = await pivot.newValue('Sub-Category');
  await field.fill('“(empty)”');
  await field.press('Tab');
  await pivot.apply.click();
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  const [{ texts, nulls }] = await service.query(
    `SELECT count("Sub-Category")::int AS texts, count(*) FILTER (WHERE "Sub-Category" IS NULL)::int AS nulls
       FROM ${TABLE} WHERE pf_iter = 'recode' AND ("Sub-Category" = '(empty)' OR "Sub-Category" IS NULL)`,
  );
  expect(texts).toBeGreaterThan(0);
  expect(nulls).toBe(0);
  await expect.poll(() => pivot.find({ row: ['Furniture', '“(empty)”'] })).not.toBeNull();
});
