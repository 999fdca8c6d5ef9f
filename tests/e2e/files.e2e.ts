import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { violations } from '../support/axe';
import { expect, storeText, test, visit } from '../support/e2e';

test.use({ template: 'service' });
test.beforeEach(({ page }) => storeText(page, 'pf.user', 'Ann Planner'));

/** Drops a file onto the page. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([file, base64]) => {
      const data = new DataTransfer();
      const content = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      data.items.add(new File([content], file, { type: 'text/csv' }));
      return data;
    },
    [name, bytes.toString('base64')] as const,
  );
  const target = page.getByRole('group', { name: 'The file', exact: true });
  await target.dispatchEvent('dragover', { dataTransfer: transfer });
  await target.dispatchEvent('drop', { dataTransfer: transfer });
}

const cell = (page: Page, row: number, column: number) =>
  page
    .getByRole('region', { name: 'First rows of the file' })
    .locator(`tbody tr:nth-child(${row}) td`)
    .nth(column);

test('a file that is dropped becomes a source, up to its roles', async ({ page, service }) => {
  await visit(page, '/');
  await page.getByRole('link', { name: 'From a file' }).click();
  // As a German Excel saves it.
  const text = 'Region;Datum;Umsatz\r\nNord;31.01.2027;1.204,50 €\r\nSüd;28.02.2027;20,00 €\r\n';
  await drop(page, 'Umsätze 2027.csv', Buffer.from(text.replaceAll('€', '\x80'), 'latin1'));
  await expect(page.getByLabel('Encoding')).toHaveValue('windows-1252');
  await expect(page.getByLabel('Between cells')).toHaveValue('semicolon');
  await expect(page.getByLabel('Decimal sign')).toHaveValue('comma');
  await expect(page.getByLabel('Dates')).toHaveValue('dmy');
  await expect(page.getByLabel('Type of Umsatz')).toHaveValue('numeric');
  await expect(cell(page, 1, 2)).toHaveText('1204.5');
  await expect(page.getByText('3 columns, 2 rows.')).toBeVisible();

  await page.getByLabel('Name of the table').fill('Umsatz');
  await page.getByRole('button', { name: 'Create and set up' }).click();
  await expect(page.getByRole('heading', { name: 'Umsatz', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/\/sources\/\d+$/);
  await expect(page.getByLabel('Role of Umsatz')).toBeVisible();
  expect(await service.query('SELECT * FROM pf_files."Umsatz"')).toEqual([
    { Region: 'Nord', Datum: '2027-01-31', Umsatz: '1204.50' },
    { Region: 'Süd', Datum: '2027-02-28', Umsatz: '20.00' },
  ]);
  const [source] = await service.query('SELECT schema, created_by FROM pf.source');
  expect(source).toEqual({ schema: 'pf_files', created_by: 'Ann Planner' });
});

test('the preview follows each choice, and rows that do not fit are listed and left out', async ({
  page,
  service,
}) => {
  await visit(page, '/sources/new/file');
  const input = page.getByLabel('File', { exact: true });
  const text = 'When,Amount\n1/2/2027,1.204\n3/4/2027,2.500\n5/6/2027,n/a\n';
  const rows = `${text}${'7/8/2027,3.000\n'.repeat(10)}`;
  await input.setInputFiles({ name: 'open.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
  await expect(page.getByText('number but for 1 cell: line 4')).toBeVisible();
  // Decimal sign and dates are both open.
  const open = page.getByText('The file fits other choices, too. Check the preview.');
  await expect(open).toHaveCount(2);
  await expect(cell(page, 1, 0)).toHaveText('Jan 2, 2027');
  await page.getByLabel('Dates').selectOption('dmy');
  await expect(cell(page, 1, 0)).toHaveText('Feb 1, 2027');
  await page.getByLabel('Decimal sign').selectOption('comma');
  await page.getByLabel('Type of Amount').selectOption('numeric');
  await expect(cell(page, 1, 1)).toHaveText('1204');
  await expect(page.getByText('Line 4, Amount: “n/a” is not a number')).toBeVisible();

  const create = page.getByRole('button', { name: 'Create and set up' });
  await expect(create).toBeDisabled();
  await page.getByLabel('Leave these rows out').check();
  await create.click();
  await expect(page).toHaveURL(/\/sources\/\d+$/);
  const [sums] = await service.query(
    'SELECT count(*), sum("Amount") AS amount, min("When") AS first FROM pf_files.open',
  );
  expect(sums).toEqual({ count: 12, amount: '33704.00', first: '2027-02-01' });
});

test('a workbook is read from the sheet that is chosen, and its notes are shown', async ({
  page,
  service,
}) => {
  await visit(page, '/sources/new/file');
  const workbook = (name: string) => readFileSync(`tests/fixtures/workbooks/${name}`);
  await drop(page, 'Plan 2027.xlsx', workbook('hidden-sheets.xlsx'));
  await expect(page.getByText('2 columns, 2 rows.')).toBeVisible();
  await expect(page.getByLabel('Encoding')).toBeHidden();
  const sheet = page.getByLabel('Sheet', { exact: true });
  await expect(sheet.locator('option')).toHaveText(['Plan', 'Settings (hidden)', 'Old & "new"']);
  await sheet.selectOption('Settings (hidden)');
  await expect(cell(page, 1, 1)).toHaveText('1.1');

  await drop(page, 'Titled.xlsx', workbook('titles.xlsx'));
  const note = page.getByText('Lines above the table are not read: “Sales plan 2027”, “Unit EUR”.');
  await expect(note).toBeVisible();
  const start = page.getByLabel('Table begins in row');
  await expect(start).toHaveValue('5');
  await expect(cell(page, 1, 2)).toHaveText('1204.5');
  await start.fill('0');
  await expect(page.getByText('Type the number of a line, such as 3.')).toBeVisible();
  await start.fill('1');
  await expect(note).toBeHidden();
  await expect(cell(page, 1, 0)).toHaveText('Unit');

  await drop(page, 'Totals.xlsx', workbook('formulas.xlsx'));
  await expect(page.getByText('5 cells are formulas. Their saved values are taken.')).toBeVisible();
  await page.getByLabel('Type of Total').selectOption('numeric');
  await expect(page.getByText('Line 3, Total: “#DIV/0!” is not a number')).toBeVisible();
  await page.getByLabel('Leave these rows out').check();
  await page.getByRole('button', { name: 'Create and set up' }).click();
  await expect(page).toHaveURL(/\/sources\/\d+$/);
  expect(await service.query('SELECT "Region", "Total" FROM pf_files."Totals"')).toEqual([
    { Region: 'North', Total: '5.00' },
    { Region: 'West', Total: '1.00' },
  ]);
});

test('a file that can be read in two ways asks, with cells as each way reads them', async ({
  page,
  service,
}) => {
  await visit(page, '/sources/new/file');
  const input = page.getByLabel('File', { exact: true });
  await input.setInputFiles('tests/fixtures/files/dmy.csv');
  const question = page.getByRole('group', { name: /Day and month of dates can be exchanged/ });
  await expect(question.getByRole('radio', { name: /^Day first/ })).toBeChecked();
  await expect(cell(page, 2, 0)).toHaveText('Feb 1, 2024');
  await question.getByRole('radio', { name: /^Month first/ }).check();
  await expect(cell(page, 2, 0)).toHaveText('Jan 2, 2024');
  await expect(page.getByLabel('Dates')).toHaveValue('mdy');

  await input.setInputFiles('tests/fixtures/files/dash.csv');
  const dash = page.getByRole('group', { name: /1 cell is a dash among numbers/ });
  await dash.getByRole('radio', { name: /^A dash is an empty cell .*→ \(empty\)$/ }).check();
  await expect(cell(page, 2, 1)).toHaveText('empty');
  await page.getByRole('button', { name: 'Create and set up' }).click();
  await expect(page).toHaveURL(/\/sources\/\d+$/);
  const rows = await service.query('SELECT "A" FROM pf_files.dash ORDER BY "R"');
  expect(rows).toEqual([{ A: '1234.50' }, { A: null }, { A: '2000.00' }]);
});

test('a measure with too many decimals for its amounts has a warning in the setup', async ({
  page,
  service,
}) => {
  await service.query('CREATE TABLE fractions (day date, share numeric(38,17))');
  const source = (await service.api.post('/sources', { schema: 'public', tname: 'fractions' }))
    .body;
  await visit(page, `/sources/${source.id}`);
  const warning = page.getByText(
    'With 17 decimals, amounts from 0.0450 on cannot be typed exactly.',
  );
  const role = page.getByLabel('Role of share');
  await role.selectOption('Ignore');
  await expect(warning).toBeHidden();
  await role.selectOption('Value');
  await expect(warning).toBeVisible();
});

test('cents for a table of whole numbers are taken once its types may become wider', async ({
  page,
  service,
}) => {
  const made = await service.api.send('/files?name=plan.csv', {
    ...{ method: 'POST', headers: { 'content-type': 'text/csv' } },
    body: readFileSync('tests/fixtures/files/append1.csv', 'utf8'),
  });
  expect(made.status).toBe(201);
  await visit(page, '/sources/new/file?table=plan');
  const input = page.getByLabel('File', { exact: true });
  await input.setInputFiles('tests/fixtures/files/append2.csv');
  await page.getByLabel('What becomes of its rows').selectOption('Add to its rows');
  await expect(page.getByText('2 columns are too narrow for the file.')).toBeVisible();
  const add = page.getByRole('button', { name: 'Add the rows' });
  await expect(add).toBeDisabled();
  await page.getByLabel('Change these types').check();
  await add.click();
  await expect(page.getByText(/of the file are in plan\.$/)).toBeVisible();
  const [sums] = await service.query('SELECT sum("Amount")::text AS amount FROM pf_files.plan');
  expect(sums).toEqual({ amount: '400.50' });
});

test('columns that are months become rows once their year is known', async ({ page, service }) => {
  await visit(page, '/sources/new/file');
  await drop(page, 'plan.csv', Buffer.from('Region;Nov;Dez;Jan\nNord;1,5;2;3\nSüd;4;;6\n'));
  await expect(page.getByText('4 columns, 2 rows.')).toBeVisible();
  await page.getByLabel('Year of Nov').fill('2027');
  await expect(page.getByText('3 columns, 5 rows.')).toBeVisible();
  await expect(cell(page, 3, 1)).toHaveText('Jan 1, 2028');
  await expect(page.getByLabel('Type of Month')).toHaveValue('date');
  const months = page.getByLabel('3 columns are months');
  await months.selectOption('Columns as they are');
  await expect(page.getByText('4 columns, 2 rows.')).toBeVisible();
  await months.selectOption('A row for each month');
  await expect(page.getByText('3 columns, 5 rows.')).toBeVisible();

  // The name of the sheet is the year.
  const workbook = readFileSync('tests/fixtures/workbooks/months-names.xlsx');
  await drop(page, 'Budget.xlsx', workbook);
  await expect(page.getByLabel('Year of Jan')).toHaveValue('2027');
  await page.getByRole('button', { name: 'Create and set up' }).click();
  await expect(page).toHaveURL(/\/sources\/\d+$/);
  const [sums] = await service.query(
    'SELECT count(*), sum("Amount"), min("Month") FROM pf_files."Budget"',
  );
  expect(sums).toEqual({ count: 23, sum: '798', min: '2027-01-01' });
});

test('a file that cannot be read says why, and another one can be chosen', async ({
  page,
  service,
}) => {
  await service.api.send('/files?name=taken', {
    method: 'POST',
    body: 'a\n1\n',
    headers: { 'content-type': 'text/csv' },
  });
  await visit(page, '/sources/new/file');
  await drop(page, 'plan.xlsx', Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 6, 0]));
  await expect(page.getByRole('alert')).toHaveText(
    /The workbook is damaged: the end of the archive is missing/,
  );
  await expect(page.getByLabel('Encoding')).toBeHidden();
  await drop(page, 'quote.csv', Buffer.from('a;b\n"1;2\n'));
  await expect(page.getByRole('alert')).toHaveText(/line 2: a quote opens a cell/);
  // A choice that does not fit the file can be taken back.
  await drop(page, 'taken.csv', Buffer.from('größe\n5\n', 'latin1'));
  await expect(page.getByText('There is a table of this name already')).toBeVisible();
  await page.getByLabel('Encoding').selectOption('utf-8');
  await expect(page.getByText(/The file is not text in the encoding utf-8/)).toBeVisible();
  await page.getByLabel('Encoding').selectOption('windows-1252');
  await expect(page.getByLabel('Type of größe')).toHaveValue('integer');
  await page.getByLabel('Name of the table').fill('taken');
  await page.getByRole('button', { name: 'Create and set up' }).click();
  await expect(page.getByText('There is a table pf_files.taken already')).toBeVisible();
});

test.describe('with a small limit', () => {
  test.use({ env: { PF_FILE_LIMIT: '3000000' } });

  test('a file that is too large is not sent, and a large one shows its progress', async ({
    page,
  }) => {
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await visit(page, '/sources/new/file');
    await drop(page, 'huge.csv', Buffer.alloc(3_000_001, 'a'));
    await expect(page.getByRole('alert')).toHaveText(
      '“huge.csv” has 3.0 MB; the service takes files of up to 3.0 MB.',
    );
    expect(sent.filter((url) => url.includes('preview'))).toEqual([]);

    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/files/preview?*', async (route) => {
      await held;
      await route.continue();
    });
    await drop(page, 'large.csv', Buffer.from(`a,b\n${'1,2\n'.repeat(500_000)}`));
    await expect(page.getByRole('progressbar', { name: 'File sent' })).toBeVisible();
    release();
    await expect(page.getByText('2 columns, 500,000 rows; the first 20 rows.')).toBeVisible();
    await expect(page.getByRole('progressbar', { name: 'File sent' })).toBeHidden();
  });
});

test.describe('where files are turned off', () => {
  test.use({ env: { PF_FILES: '0' } });

  test('the page says so', async ({ page }) => {
    await visit(page, '/sources/new/file');
    await expect(page.getByRole('heading', { name: 'Files are not accepted here' })).toBeVisible();
  });
});

test('another file replaces the rows of a table, or is added to them, after showing the difference', async ({
  page,
  service,
}) => {
  const { api } = service;
  const text = 'Region,Day,Sales\nNorth,2027-01-31,100.50\nSouth,2027-02-28,20.25\n';
  const options = { method: 'POST', headers: { 'content-type': 'text/csv' } };
  const made = await api.send('/files?name=sales.csv', { ...options, body: text });
  expect(made.status).toBe(201);
  const { id } = (await api.post('/sources', { schema: 'pf_files', tname: 'sales' })).body;
  const rows = () => service.query('SELECT "Region", "Sales"::text FROM pf_files.sales ORDER BY 1');

  await visit(page, `/sources/${id}`);
  await page.getByRole('button', { name: 'Actions for the source', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Load another file …', exact: true }).click();
  const next = 'Sales;Region;Day\n200,75;North;28.02.2027\n-1,25;West;31.03.2027\n';
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'march.csv', mimeType: 'text/csv', buffer: Buffer.from(next) });
  await expect(page.getByLabel('The rows go to')).toHaveValue('sales');
  const lines = page.getByRole('region', { name: 'Before and after' }).getByRole('row');
  const total = lines.filter({ has: page.getByRole('rowheader', { name: 'Total' }) });
  const march = lines.filter({ has: page.getByRole('rowheader', { name: 'Mar 2027' }) });
  await expect(total.getByRole('cell')).toHaveText(['2', '2', '–', '120.75', '199.50', '+78.75']);
  await expect(march.getByRole('cell')).toHaveText(['0', '1', '+1', '0.00', '-1.25', '-1.25']);
  await expect(page.getByRole('button', { name: 'Replace the rows' })).toBeEnabled();
  await page.getByLabel('What becomes of its rows').selectOption('Add to its rows');
  await expect(total.getByRole('cell')).toHaveText(['2', '4', '+2', '120.75', '320.25', '+199.50']);
  expect(await violations(page, { exclude: ['[data-sonner-toaster]'] })).toEqual([]);
  if (process.env.SCREENSHOT) {
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [1024, 'light'],
      [1440, 'dark'],
      [1024, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${process.env.SCREENSHOT}-${width}-${colorScheme}.png` });
    }
  }
  await page.getByRole('button', { name: 'Add the rows' }).click();
  await expect(page).toHaveURL(new RegExp(`/sources/${id}$`));
  await expect(page.getByText('2 rows of the file are in sales.')).toBeVisible();
  expect(await rows()).toEqual([
    { Region: 'North', Sales: '100.50' },
    { Region: 'North', Sales: '200.75' },
    { Region: 'South', Sales: '20.25' },
    { Region: 'West', Sales: '-1.25' },
  ]);

  // A file with other columns is refused, and may become a new table instead.
  await visit(page, '/sources/new/file?table=sales');
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'other.csv', mimeType: 'text/csv', buffer: Buffer.from('A,B\n1,2\n') });
  await expect(page.getByText('The file has other columns than the table sales')).toBeVisible();
  await page.getByLabel('The rows go to').selectOption('A new table');
  await expect(page.getByLabel('Name of the table')).toHaveValue('other');
});
