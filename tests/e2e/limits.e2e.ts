import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';
import { readWorkbook } from './workbook';

/** Limits of the rows: the first or last groups with the rest as Others, and groups beyond a number. */

const TABLE = 'pf.fc_superstore_1';

/** Opens the dialog by the menu of a measure's header, and enters a limit. */
async function limit(
  page: Page,
  pivot: PivotPage,
  wanted: { measure: string; of: string; show: string; number: string },
) {
  const head = pivot.grid.locator('thead th.pf-measure', { hasText: wanted.measure }).first();
  await head.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Top, bottom or threshold …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Top, bottom or threshold' });
  await dialog.getByLabel('Groups of').selectOption({ label: wanted.of });
  await dialog.getByLabel('Show').selectOption({ label: wanted.show });
  await dialog.getByLabel('Number', { exact: true }).fill(wanted.number);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
}

const amount = (text: string | null) => Number(text?.replaceAll(',', ''));

test('the largest three groups are shown, and the others are one row that can be typed into', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Sub-Category&measures=Sales,Quantity');
  /** The sums of the sub-categories, the largest first. */
  const stored = () =>
    service.query<{ name: string; sales: number; y2028: number }>(
      `SELECT "Sub-Category" AS name, sum("Sales")::float8 AS sales,
              sum("Sales") FILTER (WHERE extract(year FROM "Order Date") = 2028)::float8 AS y2028
         FROM ${TABLE} GROUP BY 1 ORDER BY 2 DESC`,
    );
  const before = await stored();
  const count = before.length - 3;
  const OTHERS = `Others (${count})`;
  await limit(page, pivot, {
    ...{ measure: 'Sales', of: 'Sub-Category', show: 'Largest, rest as Others', number: '3' },
  });
  const chip = page.getByTestId('limit');
  await expect(chip).toContainText(`Sub-Category: top 3 by Sales, ${count} in Others`);
  await expect(page).toHaveURL(/limit=Sub-Category:top:3:Sales/);
  const rows = async () =>
    (await pivot.cells()).flatMap(({ row, column }) => (column ? [] : [row.join(' / ')]));
  const names = before.slice(0, 3).map(({ name }) => name);
  await expect.poll(rows).toEqual(['', ...names.toSorted(), OTHERS]);

  // A click selects the groups behind it, of which the service knows the sum.
  const cell = { row: [OTHERS], column: ['2028', 'Sales'] };
  const others = before.slice(3);
  const sum = others.reduce((all, { y2028 }) => all + y2028, 0);
  expect(amount(await pivot.text(cell))).toBeCloseTo(sum, 2);
  const answered = page.waitForResponse(
    (response) => /\/slices?$/.test(new URL(response.url()).pathname) && response.ok(),
  );
  await pivot.click(cell);
  const { slice, slices = [slice] } = (await answered).request().postDataJSON();
  expect([...slices[0]['Sub-Category']].sort()).toEqual(others.map(({ name }) => name).sort());

  // The arrow keys reach the row; an amount changes all of its groups, and undo restores them.
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.type('10%');
  await page.keyboard.press('Enter');
  await expect.poll(async () => amount(await pivot.text(cell))).toBeCloseTo(sum * 1.1, 1);
  const changed = await stored();
  const now = changed.filter(({ name }) => !names.includes(name));
  expect(now.reduce((all, { y2028 }) => all + y2028, 0)).toBeCloseTo(sum * 1.1, 1);
  for (const { name, y2028 } of changed.filter((each) => names.includes(each.name)))
    expect(y2028).toBeCloseTo(before.find((each) => each.name === name)?.y2028 ?? 0, 6);
  await page.keyboard.press('Control+z');
  await expect.poll(async () => amount(await pivot.text(cell))).toBeCloseTo(sum, 2);

  // Another person's change brings another group into the first three, but not while somebody types.
  const smallest = others.at(-1);
  await pivot.click(cell);
  await page.keyboard.type('5');
  await service.api.post('/versions/1/scale', {
    slice: { 'Sub-Category': smallest?.name },
    ...{ value_incr: 900_000, pf_user: 'ben' },
  });
  const held = { row: [OTHERS], column: ['2028', 'Sales'] };
  await expect.poll(async () => amount(await pivot.text(held))).toBeGreaterThan(sum + 1);
  expect(await rows()).toEqual(['', ...names.toSorted(), OTHERS]);
  await page.keyboard.press('Escape');
  const reordered = [smallest?.name ?? '', ...names.slice(0, 2)].toSorted();
  await expect.poll(rows).toEqual(['', ...reordered, OTHERS]);

  // A link, a workbook and a chart have the same rows.
  await page.reload();
  await pivot.drawn();
  await expect.poll(rows).toEqual(['', ...reordered, OTHERS]);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: /Excel/ }).click();
  const sheets = await readWorkbook(page, await readFile(await (await download).path()));
  const heads = (sheets.get('Pivot')?.rows ?? []).map(({ cells }) => cells[0]?.value);
  expect(heads.slice(-4)).toEqual([...reordered, OTHERS]);
  const ways = page.getByRole('group', { name: 'Show as' });
  await ways.getByRole('button', { name: 'Show as a chart' }).click();
  const series = page.getByRole('region', { name: 'Chart', exact: true }).locator('thead th');
  await expect
    .poll(async () => (await series.allTextContents()).slice(1).toSorted())
    .toEqual([...reordered, `${count} others`].toSorted());
  await ways.getByRole('button', { name: 'Show as a grid' }).click();

  await page.getByRole('button', { name: /^Remove the limit/ }).click();
  await expect(chip).toHaveCount(0);
  await expect.poll(async () => (await rows()).length).toBe(before.length + 1);
});

test('groups whose difference is not below a percentage are hidden, and totals include them', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const pivot = new PivotPage(page);
  await pivot.open(
    1,
    '?rows=Category,Sub-Category&measures=Sales,Sales:%20reference,Sales:%20Δ%20%25',
  );
  const total = await pivot.text({ row: ['Furniture'], column: ['2028', 'Sales'] });
  const groups = await service.query<{ category: string; name: string; change: number }>(
    `SELECT "Category" AS category, "Sub-Category" AS name,
            (sum("Sales") FILTER (WHERE pf_iter <> 'reference') /
             sum("Sales") FILTER (WHERE pf_iter = 'reference') - 1)::float8 AS change
       FROM ${TABLE} GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const sorted = groups.map(({ change }) => change).toSorted((a, b) => a - b);
  // Between two of the groups, as a planner types it.
  const border = Math.round(((sorted[4] ?? 0) + (sorted[5] ?? 0)) * 5000) / 100;
  const admitted = groups.filter(({ change }) => change < border / 100);
  await limit(page, pivot, {
    ...{ measure: 'Δ %', of: 'Sub-Category', show: 'Below a number', number: `${border}` },
  });
  const hidden = groups.length - admitted.length;
  const chip = page.getByTestId('limit');
  await expect(chip).toContainText(
    `below ${border}%, ${hidden} of ${groups.length} hidden, totals include them`,
  );
  const shown = async () =>
    (await pivot.cells()).flatMap(({ row, column }) =>
      !column && row.length === 2 ? [row.join(' / ')] : [],
    );
  const wanted = admitted.map(({ category, name }) => `${category} / ${name}`);
  await expect.poll(shown).toEqual(wanted);
  expect(await pivot.text({ row: ['Furniture'], column: ['2028', 'Sales'] })).toBe(total);

  // A view carries the limit, also where the arrangement differs in nothing else.
  await page.getByRole('button', { name: /^Layout/ }).click();
  await page.getByRole('menuitem', { name: 'Save as a new view …' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Losers');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?view=\d+$/);
  await page.getByRole('button', { name: /^Remove the limit/ }).click();
  await expect.poll(async () => (await shown()).length).toBe(groups.length);
  await expect(page).toHaveURL(/\?view=\d+&limit=$/);
  await page.getByRole('button', { name: /^Layout/ }).click();
  await page.getByRole('menuitem', { name: /^Losers/ }).click();
  await expect.poll(shown).toEqual(wanted);
  // The address follows the rows.
  await expect(page).toHaveURL(/\?view=\d+$/);
  await page.reload();
  await pivot.drawn();
  await expect.poll(shown).toEqual(wanted);
  await expect(chip).toContainText(`${hidden} of ${groups.length} hidden`);
});

test('the chip of a limit that cannot apply says why', async ({ page }) => {
  const pivot = new PivotPage(page);
  const chip = page.getByTestId('limit');
  const limits = 'limit=Segment:top:2:Quantity&limit=Region:top:2:Sales';
  await pivot.open(1, `?rows=Segment&measures=Sales&${limits}`);
  await expect(chip).toHaveText([
    /^Segment: top 2 by Quantity does not apply, because Quantity is not shown/,
    /^Region: top 2 by Sales does not apply, because Region is not in the rows/,
  ]);
  const rows = async () => (await pivot.cells()).filter(({ column }) => !column).length;
  expect(await rows()).toBe(4);

  // Its measure comes back; the average of several years is unknown.
  await pivot.open(1, '?rows=Segment&measures=Sales,Quantity&limit=Segment:top:2:Quantity');
  await expect(chip).toHaveText([/^Segment: top 2 by Quantity, 1 in Others/]);
  await pivot.open(
    1,
    '?rows=Segment&measures=Quantity&total=Quantity:avg&limit=Segment:top:2:Quantity',
  );
  await expect(chip).toHaveText([
    /does not apply, because Quantity has no total of several columns/,
  ]);
  await page.getByRole('button', { name: /^Remove the limit/ }).click();
  await expect(chip).toHaveCount(0);
});

test('the row Others is commented on, pasted into and locked, which concerns exactly the groups that it holds', async ({
  context,
  page,
  service,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  /** The sums of 2028 by sub-category, the largest of all years first. */
  const stored = () =>
    service.query<{ name: string; sales: number }>(
      `SELECT "Sub-Category" AS name,
                round(sum("Sales") FILTER (WHERE extract(year FROM "Order Date") = 2028), 2)::float8 AS sales
           FROM ${TABLE} GROUP BY 1 ORDER BY sum("Sales") DESC`,
    );
  const before = await stored();
  const names = before.map(({ name }) => name);
  const [shown, others] = [names.slice(0, 3).toSorted(), names.slice(3).toSorted()];
  const OTHERS = `Others (${others.length})`;
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Sub-Category&measures=Sales&limit=Sub-Category:top:3:Sales');
  const cell = { row: [OTHERS], column: ['2028', 'Sales'] };
  /** The rows that have a cell of a class, by their header. */
  const rowsWith = (className: string) =>
    pivot.grid
      .locator(`td.${className}`)
      .evaluateAll((cells) => [
        ...new Set(cells.map((td) => td.parentElement?.querySelector('th')?.textContent?.trim())),
      ]);

  await pivot.click(cell);
  await page.keyboard.press('m');
  await expect(pivot.panel.getByLabel('New comment')).toBeFocused();
  await page.keyboard.type('Who buys these?');
  await page.keyboard.press('Control+Enter');
  await expect(pivot.panel.getByRole('article')).toContainText('Who buys these?');
  await expect.poll(() => rowsWith('pf-commented')).toEqual([OTHERS]);
  const [comment] = (await service.api.get('/versions/1/comments')).body;
  expect(comment.slice['Sub-Category'].toSorted()).toEqual(others);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');

  // The last of the shown groups and Others get the amounts of a block.
  const last = shown[2] ?? '';
  await pivot.click({ row: [last], column: cell.column });
  await page.evaluate(() => navigator.clipboard.writeText('400000\n500000'));
  await page.keyboard.press('Control+v');
  await expect.poll(async () => amount(await pivot.text(cell))).toBeCloseTo(500_000, 2);
  const after = await stored();
  const sumOf = (of: typeof before, wanted: readonly string[]) =>
    of.reduce((sum, { name, sales }) => sum + (wanted.includes(name) ? sales : 0), 0);
  expect(sumOf(after, others)).toBeCloseTo(500_000, 2);
  expect(sumOf(after, [last])).toBeCloseTo(400_000, 2);
  const changed = after.filter(
    ({ name, sales }) => sales !== before.find((each) => each.name === name)?.sales,
  );
  expect(changed.map(({ name }) => name).toSorted()).toEqual([last, ...others].toSorted());

  // A lock of the row holds all of its groups, and no others.
  await pivot.click({ row: [OTHERS] });
  await page.getByRole('button', { name: /^Locks/ }).click();
  await page.getByRole('button', { name: 'Lock rows …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Lock rows' });
  await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => rowsWith('pf-locked')).toEqual([OTHERS]);
  const locked: string[] = [];
  for (const name of names) {
    const slice = { 'Sub-Category': name };
    const { status } = await service.api.post('/versions/1/scale/preview', {
      ...{ slice, value_incr: 1, pf_user: 'ben' },
    });
    if (status !== 200) locked.push(name);
  }
  expect(locked.toSorted()).toEqual(others);
});

test('a chart draws the groups that a limit shows inside others, and selects their rows', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  // The sub-categories are closed in the grid.
  await pivot.open(
    1,
    '?rows=Category,Sub-Category&columns=&measures=Sales&depth=0&limit=Sub-Category:top:1:Sales',
  );
  const ways = page.getByRole('group', { name: 'Show as' });
  await ways.getByRole('button', { name: 'Show as a chart' }).click();
  const groups = await service.query<{ category: string; name: string; sales: number }>(
    `SELECT "Category" AS category, "Sub-Category" AS name, sum("Sales")::float8 AS sales
       FROM ${TABLE} GROUP BY 1, 2 ORDER BY 3 DESC`,
  );
  const categories = [...new Set(groups.map(({ category }) => category))];
  const first = (category: string) => groups.find((each) => each.category === category);
  const names = categories.map((category) => first(category)?.name ?? '');
  const others = groups.filter(({ name }) => !names.includes(name));
  const OTHERS = `${others.length} others`;
  const table = page.getByRole('region', { name: 'Chart', exact: true }).locator('table');
  /** The numbers of the chart, by category and sub-category. */
  const drawn = async () => {
    const [[, ...heads] = [], ...rows] = await table.evaluate((element) =>
      [...(element as HTMLTableElement).rows].map(({ cells }) =>
        [...cells].map((cell) => cell.textContent?.trim() ?? ''),
      ),
    );
    return Object.fromEntries(
      rows.flatMap(([category = '', ...cells]) =>
        heads.flatMap((head, i) =>
          /\d/.test(cells[i] ?? '') ? [[`${category} / ${head}`, amount(cells[i] ?? '')]] : [],
        ),
      ),
    );
  };
  const expected = Object.fromEntries(
    categories.flatMap((category) => [
      [`${category} / ${first(category)?.name}`, first(category)?.sales],
      [
        `${category} / ${OTHERS}`,
        others.reduce((sum, each) => sum + (each.category === category ? each.sales : 0), 0),
      ],
    ]),
  );
  await expect
    .poll(async () => Object.keys(await drawn()).sort())
    .toEqual(Object.keys(expected).sort());
  for (const [name, sales] of Object.entries(await drawn()))
    expect(sales, name).toBeCloseTo(expected[name] ?? NaN, 1);

  // The others of the first bar are those of its category alone.
  const plot = page.getByRole('region', { name: 'Chart', exact: true }).getByRole('slider');
  await plot.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowUp');
  await expect(plot).toHaveAttribute('aria-valuetext', new RegExp(OTHERS));
  const [category] = ((await plot.getAttribute('aria-valuetext')) ?? '').split('. ');
  const answered = page.waitForResponse((response) => /\/slices?$/.test(response.url()));
  await page.keyboard.press('Enter');
  const { slice, slices = [slice] } = (await answered).request().postDataJSON();
  expect(slices).toHaveLength(1);
  expect(slices[0].Category).toBe(category);
  const own = others.filter((each) => each.category === category);
  expect([...slices[0]['Sub-Category']].sort()).toEqual(own.map(({ name }) => name).sort());
});
