import { test, expect } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';

/** Cells without rows are planned by copying similar rows: cells of a row, and whole new rows. */

const TABLE = 'pf.fc_superstore_1';

test('an empty cell is filled from another one, and a member from its neighbour', async ({
  page,
  service,
}) => {
  const sold = async (state: string) =>
    (
      await service.query<{ year: string; sales: number; units: number }>(
        `SELECT extract(year FROM "Order Date")::text AS year, sum("Sales")::float8 AS sales,
           sum("Quantity")::int AS units
         FROM ${TABLE} WHERE "State" = '${state}' GROUP BY 1 ORDER BY 1`,
      )
    ).filter(({ sales }) => sales !== 0);
  const entries = async (operation: string) =>
    (await service.query(`SELECT FROM pf.log WHERE operation = '${operation}'`)).length;
  const [before, ...more] = await sold('Wyoming');
  expect(more).toEqual([]);
  const empty = before?.year === '2027' ? '2028' : '2027';

  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, {
    group_by: ['State'],
    filter: [['State', 'in', ['Texas', 'Wyoming']]],
  });
  const cell = { row: ['Wyoming'], column: [empty, 'Sales'] };
  const offers = page
    .getByRole('listbox', { name: /^This cell has no rows yet/ })
    .getByRole('option');

  // A copy keeps its own months.
  await pivot.click(cell);
  await page.keyboard.type('1000 like ref');
  await expect(page.getByText(/Leave out “like ref”/)).toBeVisible();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  expect(await entries('clone')).toBe(0);

  // From the year that has rows, the first option.
  await pivot.click(cell);
  await page.keyboard.type('1000');
  await expect(offers).toHaveText([
    new RegExp(`^${before?.year}`),
    /^all of this row/,
    /^all rows/,
  ]);
  await expect(offers.first()).toHaveAttribute('aria-selected', 'true');
  const said = page.getByRole('status').filter({ hasText: 'Copy them from' });
  await expect(said).toHaveText(new RegExp(`Copy them from ${before?.year}, .* 1 of 3`));
  // All of them on one day, which is announced first.
  const day = /the copies get Order Date → (\w+ \d+, \d{4})/.exec((await said.textContent()) ?? '');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Cloned: /)).toBeVisible();
  await expect.poll(() => pivot.number(cell)).toBe(1000);
  const days = await service.query(
    `SELECT DISTINCT "Order Date"::text AS day FROM pf.fc_superstore_1 WHERE pf_iter = 'clone'`,
  );
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
  expect(days.map((each) => format.format(new Date(each.day)))).toEqual([day?.[1]]);
  const made = (await sold('Wyoming')).find(({ year }) => year === empty);
  expect(made?.sales).toBe(1000);
  expect(made?.units).toBeGreaterThan(0);
  expect((await sold('Wyoming')).filter(({ year }) => year !== empty)).toEqual([before]);

  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  expect(await sold('Wyoming')).toEqual([before]);

  // From the rows of all states in that year, tried first.
  await pivot.click(cell);
  await page.keyboard.type('2k');
  await expect(offers).toHaveCount(3);
  await page.keyboard.press('ArrowUp');
  await expect(offers.last()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Shift+Enter');
  await expect.poll(() => pivot.number(cell)).toBe(2000);
  expect(await sold('Wyoming')).toEqual([before]);
  await page.getByRole('button', { name: 'Keep' }).click();
  await expect
    .poll(async () => (await sold('Wyoming')).find(({ year }) => year === empty)?.sales)
    .toBe(2000);
  expect(await entries('clone')).toBe(1);

  // A percentage of an empty cell is refused.
  await expect(page.getByRole('button', { name: 'Keep' })).toHaveCount(0);
  await pivot.click(cell);
  await page.keyboard.press('Control+z');
  await expect.poll(() => entries('clone')).toBe(0);
  await pivot.click(cell);
  await page.keyboard.type('+5%');
  await page.keyboard.press('Enter');
  await expect(page.getByText('This cell is empty, so a percentage has no effect.')).toBeVisible();
  expect(await entries('clone')).toBe(0);

  // A new member.
  const texas = await pivot.find({ row: ['Texas'] });
  await page.mouse.click(texas?.x ?? 0, texas?.y ?? 0, { button: 'right' });
  await page.getByRole('menuitem', { name: 'Add a member like Texas …' }).click();
  await expect(pivot.panel.getByLabel('New State', { exact: true })).toBeFocused();
  await page.keyboard.type('Atlantis');
  await page.keyboard.press('Tab');
  await pivot.apply.click();
  await expect.poll(() => sold('Atlantis')).toEqual(await sold('Texas'));
});
