import type { Page } from '@playwright/test';
import { expect, storeText, test } from '../support/e2e';
import type { Service } from '../support/service';
import { arrange, PivotPage, type CellName } from './pivot-page';

/** Blocks of cells: selected by mouse and keyboard, summed, copied, pasted into and filled. */

const TABLE = 'pf.fc_superstore_1';
const cell = (sub: string, year = '2028', measure = 'Sales'): CellName => ({
  row: ['Furniture', sub],
  column: [year, measure],
});
const SUBS = ['Bookcases', 'Chairs', 'Furnishings', 'Tables'];

const status = (page: Page) => page.getByTestId('marked');
const apart = (page: Page) => page.getByTestId('apart');
const english = (number: number, digits = 2) =>
  number.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: 2 });

/** Returns the stored sums of the plan by subcategory and year. */
async function stored(service: Service): Promise<Map<string, { sales: number; units: number }>> {
  const rows = await service.query<{ at: string; sales: number; units: number }>(
    `SELECT "Sub-Category" || ' ' || extract(year FROM "Order Date") AS at,
            sum("Sales")::numeric(20,4)::float8 AS sales, sum("Quantity")::int AS units
       FROM ${TABLE} GROUP BY 1`,
  );
  return new Map(rows.map(({ at, ...sums }) => [at, sums]));
}

/** Returns the texts of the marked cells on screen. */
const marked = (pivot: PivotPage) => pivot.grid.locator('td.pf-selected').allTextContents();

async function middle(pivot: PivotPage, name: CellName): Promise<{ x: number; y: number }> {
  await expect.poll(() => pivot.find(name)).not.toBeNull();
  const at = await pivot.find(name);
  if (!at) throw new Error('The cell went while it was looked at.');
  return at;
}

async function drag(pivot: PivotPage, from: CellName, to: CellName): Promise<void> {
  const { mouse } = pivot.page;
  const [start, end] = [await middle(pivot, from), await middle(pivot, to)];
  await mouse.move(start.x, start.y);
  await mouse.down();
  await mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2);
  await mouse.move(end.x, end.y);
  await mouse.up();
}

async function clickWith(key: 'Shift' | 'Control', pivot: PivotPage, to: CellName): Promise<void> {
  const { x, y } = await middle(pivot, to);
  await pivot.page.keyboard.down(key);
  await pivot.page.mouse.click(x, y);
  await pivot.page.keyboard.up(key);
}

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test.beforeEach(({ context }) => context.grantPermissions(['clipboard-read', 'clipboard-write']));

test('a block is marked by dragging, by Shift+click and by Shift+arrows, summed and copied', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const sums = await stored(service);
  const sales = SUBS.map((sub) => sums.get(`${sub} 2028`)?.sales ?? NaN);

  // A block cannot start at a column header, which would make it a block of rows.
  await pivot.grid.locator('thead th', { hasText: '2028' }).click();
  await page.keyboard.press('Shift+ArrowRight');
  await expect(page.getByText(/a block has to start at a cell/)).toBeVisible();

  // The cells of one column are one slice, which operations can select.
  await drag(pivot, cell('Bookcases'), cell('Tables'));
  await expect.poll(() => marked(pivot)).toHaveLength(4);
  const sum = sales.reduce((a, b) => a + b, 0);
  await expect(status(page)).toContainText('4 cells');
  await expect(status(page)).toContainText(`Sum ${english(sum)}, average ${english(sum / 4)}`);
  await expect(page.getByTestId('value-total')).toHaveText(english(sum));

  // From the same cell to another corner: values and units of two years, which are not one slice.
  await clickWith('Shift', pivot, cell('Furnishings', '2029', 'Quantity'));
  await expect.poll(() => marked(pivot)).toHaveLength(12);
  await expect(apart(page)).toContainText('cannot be scaled, recoded or cloned together');
  await expect(pivot.apply).toHaveCount(0);
  await expect(status(page)).toContainText('12 cells');
  await expect(status(page)).toContainText(/Sales Sum .*Quantity Sum/);
  await page.keyboard.press('Control+Enter');
  await expect(
    page.locator('[data-sonner-toast]').filter({ hasText: 'cannot be scaled' }),
  ).toContainText('These cells cannot be scaled, recoded or cloned together');

  // The keyboard moves the corner, even faster than cells are read.
  await page.keyboard.press('g');
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp'])
    await page.keyboard.press(`Shift+${key}`);
  await expect.poll(() => marked(pivot)).toHaveLength(4);
  const block = ['Bookcases', 'Chairs'].map((sub) => {
    const { sales: value, units } = sums.get(`${sub} 2028`) ?? { sales: NaN, units: NaN };
    return `${value}\t${units}`;
  });
  await expect(status(page)).toContainText('4 cells');
  await page.keyboard.press('Control+c');
  await expect(page.getByText('Copied: 4 cells.')).toBeVisible();
  expect(await clipboard(page)).toBe(block.join('\n'));

  // Up to the total of the category, which is not counted twice.
  await pivot.click(cell('Bookcases'));
  await page.keyboard.press('Shift+ArrowUp');
  await expect(status(page)).toContainText('2 cells');
  await expect(status(page)).toContainText(`Sum ${english(sum)}`);
  await expect(status(page)).toContainText('without 1 part of selected totals');

  // A row header copies the row with its numbers.
  await pivot.click({ row: ['Furniture', 'Chairs'] });
  await page.keyboard.press('Control+c');
  await expect
    .poll(() => clipboard(page))
    .toMatch(
      new RegExp(`^Furniture / Chairs\t.*\t${sales[1]}\t${sums.get('Chairs 2028')?.units}\t`),
    );

  // An arrow key continues from the first cell of the block.
  await pivot.click(cell('Bookcases'));
  await page.keyboard.press('Shift+ArrowDown');
  await expect.poll(() => marked(pivot)).toHaveLength(2);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => marked(pivot)).toHaveLength(1);
  await expect(pivot.slice).toContainText('Sub-Category = Bookcases');
});

test('marks follow their cells through scrolling, opened rows and changes', async ({
  page,
  service,
}) => {
  await page.setViewportSize({ width: 1024, height: 500 });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, {
    group_by: ['Category', 'Sub-Category', 'Segment'],
    split_by: ['Region'],
    columns: ['Sales', 'Quantity'],
    expressions: {},
  });
  const west = (row: string[], measure = 'Sales') => ({ row, column: ['West', measure] });
  const [first, last] = [
    west(['Furniture', 'Bookcases']),
    west(['Furniture', 'Tables'], 'Quantity'),
  ];
  await pivot.click(first);
  await clickWith('Shift', pivot, last);
  await expect(status(page)).toContainText('8 cells');
  const shown = await marked(pivot);
  await pivot.grid.evaluate((grid) => (grid.scrollTop = 10_000));
  await expect.poll(() => pivot.find(first)).toBeNull();
  await pivot.grid.evaluate((grid) => (grid.scrollTop = 0));
  await expect.poll(() => marked(pivot)).toEqual(shown);

  // Dragging beyond the edge scrolls the grid and extends the block.
  const { mouse } = page;
  const start = await middle(pivot, first);
  await mouse.move(start.x, start.y);
  await mouse.down();
  await mouse.move(start.x, start.y + 40);
  await mouse.move(start.x, 499);
  const end = west(['Technology', 'Phones']);
  await expect.poll(() => pivot.find(end)).not.toBeNull();
  await expect(status(page)).toContainText('19 cells');
  await mouse.up();
  await page.keyboard.press('Escape');
  await expect(status(page)).toHaveText('');
  await pivot.grid.evaluate((grid) => (grid.scrollTop = 0));
  await clickWith('Shift', pivot, first);
  await clickWith('Shift', pivot, last);
  await expect.poll(() => marked(pivot)).toEqual(shown);

  // Rows that appear in between are not marked: the block consists of cells, not of positions.
  const chairs = pivot.grid.locator('tbody th', { hasText: /^Chairs$/ });
  await chairs.click({ position: { x: 30, y: 8 } });
  await expect.poll(() => pivot.find(west(['Furniture', 'Chairs', 'Consumer']))).not.toBeNull();
  await expect.poll(() => marked(pivot)).toEqual(shown);

  // Somebody else's change appears on screen and in the sum.
  await service.api.post('/versions/1/scale', {
    slice: { 'Sub-Category': 'Chairs', Region: 'West' },
    value_incr: 1000,
    pf_user: 'Ben',
  });
  await expect.poll(() => marked(pivot)).not.toEqual(shown);
  expect(await marked(pivot)).toHaveLength(8);
  const [row] = await service.query<{ sales: number }>(
    `SELECT sum("Sales")::float8 AS sales FROM ${TABLE}
      WHERE "Region" = 'West' AND "Category" = 'Furniture'`,
  );
  await expect(status(page)).toContainText(`Sales Sum ${english(row?.sales ?? NaN)}`);
});

test.describe('amounts for a block', () => {
  const scales = async (service: Service) =>
    (await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).length;
  const salesOf = async (service: Service, at: string) => (await stored(service)).get(at)?.sales;
  const unitsOf = async (service: Service, at: string) => (await stored(service)).get(at)?.units;

  async function paste(page: Page, text: string): Promise<void> {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await page.keyboard.press('Control+v');
  }

  test('are pasted as one entry, which can be undone', async ({ page, service }) => {
    const pivot = new PivotPage(page);
    await pivot.open(1);
    const before = await stored(service);
    // Pasted from one cell down and right. Numbers from a spreadsheet may have separators, and one cell does
    // not change.
    await pivot.click(cell('Bookcases'));
    const units = before.get('Chairs 2028')?.units;
    await paste(page, `"40,000"\t250\r\n$72,000.50\t${units}\r\n`);
    await expect.poll(() => scales(service)).toBe(1);
    await expect
      .poll(() => marked(pivot))
      .toEqual(['40,000.00', '250', '72,000.50', String(units)]);
    const after = await stored(service);
    expect(after.get('Bookcases 2028')).toEqual({ sales: 40_000, units: 250 });
    expect(after.get('Chairs 2028')).toEqual({ sales: 72_000.5, units });
    expect(after.get('Tables 2028')).toEqual(before.get('Tables 2028'));
    expect(after.get('Bookcases 2029')).toEqual(before.get('Bookcases 2029'));
    const [entry] = await service.query(
      `SELECT slice, jsonb_array_length(params->'edits') AS edits FROM pf.log WHERE operation = 'scale'`,
    );
    expect(entry).toEqual({ slice: null, edits: 3 });

    // A marked block accepts a block of the same size; negative numbers keep their sign.
    await drag(pivot, cell('Furnishings'), cell('Tables', '2028', 'Quantity'));
    await expect(status(page)).toContainText('4 cells');
    await paste(page, '-500\t700\n(1.5k)\t235');
    await expect.poll(() => scales(service)).toBe(2);
    expect(await salesOf(service, 'Furnishings 2028')).toBe(-500);
    expect(await salesOf(service, 'Tables 2028')).toBe(-1500);
    await expect.poll(() => pivot.text(cell('Tables'))).toBe('-1,500.00');

    await page.keyboard.press('Control+z');
    await expect(page.getByText(/^Undone: /)).toBeVisible();
    await page.keyboard.press('Control+z');
    await expect.poll(() => scales(service)).toBe(0);
    expect(await stored(service)).toEqual(before);
    await expect
      .poll(() => pivot.number(cell('Bookcases')))
      .toBeCloseTo(before.get('Bookcases 2028')?.sales ?? NaN, 2);
  });

  test('are written into the cells that were marked at the time, although the marks have moved since', async ({
    page,
    service,
  }) => {
    const pivot = new PivotPage(page);
    await pivot.open(1);
    const before = await stored(service);
    // The first amount takes a while to be written.
    let go = () => {};
    const mayGo = new Promise<void>((resolve) => (go = resolve));
    await page.route('**/api/versions/1/scale', async (route) => {
      await mayGo;
      await route.continue();
    });
    await pivot.click(cell('Bookcases'));
    await page.keyboard.type('40000');
    await page.keyboard.press('Enter');
    await pivot.click(cell('Chairs', '2029'));
    await paste(page, '71000\n14000');
    await pivot.click(cell('Tables', '2027'));
    go();
    await expect.poll(() => scales(service)).toBe(2);
    const after = await stored(service);
    const changed = [...after].filter(([at, { sales }]) => sales !== before.get(at)?.sales);
    expect(Object.fromEntries(changed.map(([at, { sales }]) => [at, sales]))).toEqual({
      'Bookcases 2028': 40_000,
      'Chairs 2029': 71_000,
      'Furnishings 2029': 14_000,
    });
    await expect.poll(() => marked(pivot)).toHaveLength(1);
  });

  test('are refused with the names of their cells before any request', async ({
    page,
    service,
  }) => {
    await service.api.post('/versions/1/locks', {
      slice: { 'Sub-Category': 'Tables' },
      note: 'Agreed',
      pf_user: 'Ben',
    });
    const pivot = new PivotPage(page);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (/\/scale/.test(request.url())) sent.push(request.url());
    });
    await pivot.open(1);
    const before = await stored(service);
    const refused = async (text: string | RegExp) => {
      await expect(status(page)).toContainText(text);
      expect(sent).toEqual([]);
    };

    await pivot.click(cell('Furnishings'));
    await paste(page, 'about 100\nabout 200');
    await refused('“about 100” is not a number. Nothing was changed.');
    // The message disappears with its marks.
    await page.keyboard.press('ArrowUp');
    await expect(status(page)).not.toContainText('is not a number');

    await pivot.click(cell('Furnishings'));
    await paste(page, '100\n200');
    const preview = page.getByRole('dialog', { name: 'Paste 1 number?' });
    await expect(preview.getByTestId('guesses')).toHaveText(
      'Not written: 1 cell that does not fit. Locked by Ben: Agreed.',
    );
    expect(sent).toEqual([]);
    await page.keyboard.press('Escape');

    await pivot.click(cell('Tables'));
    await paste(page, '200');
    await refused('Furniture / Tables, 2028 / Sales: Locked by Ben: Agreed. Nothing was changed.');

    await drag(pivot, cell('Bookcases'), cell('Furnishings'));
    await expect(status(page)).toContainText('3 cells');
    await paste(page, '100\n200');
    await refused('The clipboard has 2 rows × 1 column, and 3 rows × 1 column are selected.');

    await pivot.click({ row: ['Technology', 'Phones'], column: ['2030', 'Quantity'] });
    await paste(page, '100\t200');
    await refused(/1 × 2 cells of the clipboard do not fit/);

    // A total and its parts: each would overwrite the other.
    await pivot.click({ row: ['Furniture'], column: ['2028', 'Sales'] });
    await paste(page, '1000\n600');
    await refused('The selection contains a total and parts of it');
    await page.keyboard.press('Control+d');
    await refused('The selection contains a total and parts of it');
    expect(await scales(service)).toBe(0);
    expect(await stored(service)).toEqual(before);

    await service.api.post('/versions/1/close', { pf_user: 'Ben' });
    await expect(page.getByText('Closed', { exact: true })).toBeVisible();
    await drag(pivot, cell('Bookcases'), cell('Chairs', '2029', 'Quantity'));
    await expect(apart(page)).toContainText('This version is closed');
    await paste(page, '100');
    await refused('This version is closed: you can see it but not change it.');
  });

  test('are refused beside the whole block if they are pasted before the page has read it', async ({
    page,
    service,
  }) => {
    await service.api.post('/versions/1/close', { pf_user: 'Ben' });
    const pivot = new PivotPage(page);
    await pivot.open(1);
    await page.evaluate(() => navigator.clipboard.writeText('100'));
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 15 });
    await drag(pivot, cell('Bookcases'), cell('Chairs', '2029', 'Quantity'));
    await page.keyboard.press('Control+v');
    await expect(status(page)).toContainText('8 cells');
    await expect(status(page)).toContainText('This version is closed');
    await devtools.detach();
  });

  test('are filled to the right and down, and typed into the whole block', async ({
    page,
    service,
  }) => {
    const pivot = new PivotPage(page);
    await pivot.open(1);
    const before = await stored(service);
    const of = (at: string) => before.get(at) ?? { sales: NaN, units: NaN };

    // To the right: each measure from its own first column.
    await pivot.click(cell('Bookcases'));
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowDown');
    await expect(status(page)).toContainText('8 cells');
    await page.keyboard.press('Control+r');
    await expect.poll(() => scales(service)).toBe(1);
    let now = await stored(service);
    for (const sub of ['Bookcases', 'Chairs'])
      expect(now.get(`${sub} 2029`)).toEqual({
        sales: expect.closeTo(of(`${sub} 2028`).sales, 2),
        units: of(`${sub} 2028`).units,
      });
    expect(now.get('Chairs 2028')).toEqual(of('Chairs 2028'));

    // Down, also by keyboard.
    await expect
      .poll(() => pivot.number(cell('Chairs', '2029', 'Quantity')))
      .toBe(of('Chairs 2028').units);
    await page.keyboard.press('ArrowRight');
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowDown');
    await expect(status(page)).toContainText('4 cells');
    await page.keyboard.press('Control+d');
    await expect.poll(() => scales(service)).toBe(2);
    for (const sub of SUBS)
      expect(await unitsOf(service, `${sub} 2028`)).toBe(of('Bookcases 2028').units);
    expect(await salesOf(service, 'Tables 2028')).toBe(of('Tables 2028').sales);

    // Typed into all marked cells, which need not form a rectangle.
    now = await stored(service);
    await pivot.click(cell('Bookcases'));
    await clickWith('Control', pivot, cell('Tables', '2030'));
    await expect(status(page)).toContainText('2 cells');
    await page.keyboard.type('*1.05');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => scales(service)).toBe(3);
    for (const at of ['Bookcases 2028', 'Tables 2030'])
      expect(await salesOf(service, at)).toBeCloseTo((now.get(at)?.sales ?? NaN) * 1.05, 1);
    await expect(pivot.grid).toBeFocused();
    await expect(status(page)).toContainText('2 cells');
    await page.keyboard.type('+500');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => scales(service)).toBe(4);
    expect(await salesOf(service, 'Tables 2030')).toBeCloseTo(
      (now.get('Tables 2030')?.sales ?? NaN) * 1.05 + 500,
      1,
    );
    const entries = await service.query(
      `SELECT jsonb_array_length(params->'edits') AS edits FROM pf.log
        WHERE operation = 'scale' ORDER BY id`,
    );
    expect(entries.map(({ edits }) => edits)).toEqual([4, 3, 2, 2]);
  });

  test('are filled by dragging the corner of a block to other rows and columns', async ({
    page,
    service,
  }) => {
    const pivot = new PivotPage(page);
    await pivot.open(1);
    const before = await stored(service);
    const of = (at: string) => before.get(at) ?? { sales: NaN, units: NaN };
    const handle = pivot.grid.locator('td.pf-handle');

    // To the right, over the units in between: only the same measure gets the number.
    await pivot.click(cell('Chairs'));
    await pivot.dragCorner(cell('Chairs', '2029'));
    await expect.poll(() => scales(service)).toBe(1);
    await expect(status(page)).toContainText('3 cells');
    let now = await stored(service);
    const changed = () =>
      [...now].filter(([at, sums]) => sums.sales !== of(at).sales).map(([at]) => at);
    expect(changed()).toEqual(['Chairs 2029']);
    expect(now.get('Chairs 2029')).toEqual({
      ...of('Chairs 2029'),
      sales: of('Chairs 2028').sales,
    });

    // Up, from a block of two rows: its numbers are repeated in turn, as one entry.
    await drag(pivot, cell('Furnishings', '2027'), cell('Tables', '2027'));
    await expect(status(page)).toContainText('2 cells');
    // Escape ends a drag without a change, and the block stays.
    await pivot.dragCorner(cell('Bookcases', '2027'), async () => {
      await expect(pivot.grid.locator('td.pf-fill')).toHaveCount(4);
      await page.keyboard.press('Escape');
      await page.mouse.up();
    });
    await expect(pivot.grid.locator('td.pf-fill')).toHaveCount(0);
    await expect(status(page)).toContainText('2 cells');
    await pivot.dragCorner(cell('Bookcases', '2027'));
    await expect.poll(() => scales(service)).toBe(2);
    now = await stored(service);
    expect(changed().sort()).toEqual(['Bookcases 2027', 'Chairs 2027', 'Chairs 2029']);
    expect(now.get('Bookcases 2027')?.sales).toBe(of('Furnishings 2027').sales);
    expect(now.get('Chairs 2027')?.sales).toBe(of('Tables 2027').sales);
    await page.keyboard.press('Control+z');
    await expect.poll(() => salesOf(service, 'Chairs 2027')).toBe(of('Chairs 2027').sales);

    // Nothing can be filled in a closed version.
    await service.api.post('/versions/1/close', { pf_user: 'Ben' });
    await expect(page.getByText('Closed', { exact: true })).toBeVisible();
    await pivot.click(cell('Chairs'));
    await expect(handle).toHaveCount(0);
  });

  test('are spread equally if the planner chooses so, and cannot be typed into a past state', async ({
    page,
    service,
  }) => {
    await storeText(page, 'pf.spread', 'equal');
    const pivot = new PivotPage(page);
    await pivot.open(1);
    const before = await stored(service);
    await drag(pivot, cell('Bookcases'), cell('Chairs'));
    await expect(status(page)).toContainText('2 cells');
    await paste(page, '40000\n72000');
    await expect.poll(() => scales(service)).toBe(1);
    expect(await salesOf(service, 'Bookcases 2028')).toBe(40_000);
    expect(await salesOf(service, 'Chairs 2028')).toBe(72_000);
    const parts = await service.query<{ apart: number }>(
      `SELECT (max("Sales") - min("Sales"))::float8 AS apart FROM ${TABLE}
        WHERE pf_iter = 'scale' GROUP BY "Sub-Category"`,
    );
    expect(parts).toHaveLength(2);
    for (const { apart: difference } of parts) expect(difference).toBeLessThan(0.011);

    const log = await pivot.log();
    const said = log.locator('[data-logid]').first().getByRole('listitem');
    await expect(said).toHaveText(['Category = Furniture', 'Order Date in 2028', '2 selections']);
    await log.getByRole('button', { name: 'Show the plan as it was after entry 1' }).click();
    await expect
      .poll(() => pivot.number(cell('Chairs')))
      .toBeCloseTo(before.get('Chairs 2028')?.sales ?? NaN, 2);
    await drag(pivot, cell('Bookcases'), cell('Chairs'));
    await expect(status(page)).toContainText('2 cells');
    await paste(page, '1\n2');
    await expect(status(page)).toContainText('This is an earlier state of the plan.');
    expect(await scales(service)).toBe(1);
  });

  test.describe('with a decimal comma', () => {
    test.use({ locale: 'de-DE' });

    test('are copied and pasted in the format on screen', async ({ page, service }) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      const before = await stored(service);
      await drag(pivot, cell('Bookcases'), cell('Chairs'));
      await expect(status(page)).toContainText('2 cells');
      await page.keyboard.press('Control+c');
      await expect(page.getByText('Copied: 2 cells.')).toBeVisible();
      const copied = ['Bookcases 2028', 'Chairs 2028'].map((at) =>
        String(before.get(at)?.sales).replace('.', ','),
      );
      expect(await clipboard(page)).toBe(copied.join('\n'));
      // Pasting copied numbers over themselves changes nothing.
      await page.keyboard.press('Control+v');
      await expect(status(page)).toContainText('This changes nothing.');
      await paste(page, '1.204,50 €\n71.000,5');
      await expect.poll(() => scales(service)).toBe(1);
      expect(await salesOf(service, 'Bookcases 2028')).toBe(1204.5);
      expect(await salesOf(service, 'Chairs 2028')).toBe(71_000.5);
      await paste(page, '1,204.50');
      await expect(page.getByRole('dialog')).toContainText('The numbers have a decimal point');
    });
  });
});
