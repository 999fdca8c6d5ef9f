import { test, expect } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';

/** Order and labels of texts: names of periods, and texts that look alike. */

test.use({ template: 'service' });

test('months in any language are sorted by date in rows, columns and filters', async ({
  page,
  service,
}) => {
  await service.query(`CREATE TABLE public.monate AS
    SELECT make_date(2027, m, 1) AS tag, names[m] AS monat, m::numeric(12,2) AS betrag
      FROM (SELECT '{Januar,Februar,März,April,Mai,Juni}'::text[] AS names) AS of,
           generate_series(1, 6) AS m`);
  const { api } = service;
  const { id } = (await api.post('/sources', { schema: 'public', tname: 'monate' })).body;
  await api.put(`/sources/${id}/columns`, [
    { cname: 'tag', role: 'date', dim_group: 'day' },
    { cname: 'monat', role: 'dimension', dim_group: 'day' },
    { cname: 'betrag', role: 'value' },
  ]);
  await api.post(`/sources/${id}/sql`);
  const version = (await api.post(`/sources/${id}/versions`, { name: 'Plan' })).body;
  await api.post(`/versions/${version.id}/baseline`, { pf_user: 'ana' });
  const months = ['Januar', 'Februar', 'März', 'April', 'Mai', 'Juni'];

  const pivot = new PivotPage(page);
  await pivot.open(version.id);
  await arrange(page, { group_by: ['monat'], split_by: [], columns: ['betrag'] });
  const rows = async () =>
    (await pivot.cells()).filter(({ column, row }) => !column && row[0]).map(({ row }) => row[0]);
  await expect.poll(rows).toEqual(months);

  await arrange(page, { group_by: ['tag'], split_by: ['monat'], columns: ['betrag'] });
  const columns = async () => {
    const cells = (await pivot.cells()).filter(({ column, row }) => column && !row[0]);
    return cells.map(({ column }) => column?.[0]);
  };
  await expect.poll(columns).toEqual(months);

  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('button', { name: 'monat', exact: true }).click();
  const values = page.getByRole('list', { name: 'Values of monat' });
  await expect(values.getByRole('listitem')).toHaveCount(6);
  const labels = await values.getByRole('listitem').allTextContents();
  expect(labels.map((label) => /^\s*(\S+)/.exec(label)?.[1])).toEqual(months);
});

test('texts that look alike have different labels in rows, panel, log, filter and forms', async ({
  page,
  service,
}) => {
  const { api } = service;
  await service.query(`CREATE TABLE public.cafes AS
    SELECT name, betrag::numeric(12,2) FROM (VALUES ('Caf' || U&'\\00E9', 100),
      ('Cafe' || U&'\\0301', 200), ('Ire' || U&'\\0300' || 'ne', 300)) AS of (name, betrag)`);
  const { id } = (await api.post('/sources', { schema: 'public', tname: 'cafes' })).body;
  await api.put(`/sources/${id}/columns`, [
    { cname: 'name', role: 'dimension', is_key: true },
    { cname: 'betrag', role: 'value' },
  ]);
  await api.post(`/sources/${id}/sql`);
  const version = (await api.post(`/sources/${id}/versions`, { name: 'Plan' })).body;
  await api.post(`/versions/${version.id}/baseline`, { pf_user: 'ana' });
  const [composed, decomposed, alone] = ['Caf\u00e9', '“Cafe\\u{301}”', 'Ire\u0300ne'];

  const pivot = new PivotPage(page);
  await pivot.open(version.id);
  await arrange(page, { group_by: ['name'], split_by: [], columns: ['betrag'] });
  const rows = async () =>
    (await pivot.cells()).filter(({ column, row }) => !column && row[0]).map(({ row }) => row[0]);
  await expect.poll(rows).toEqual([decomposed, composed, alone]);

  await pivot.click({ row: [decomposed], column: ['betrag'] });
  await expect(pivot.slice).toContainText(decomposed);
  await page.keyboard.type('250');
  await page.keyboard.press('Enter');
  const at = (row: string) => pivot.number({ row: [row], column: ['betrag'] });
  await expect.poll(() => at(decomposed)).toBe(250);
  expect(await at(composed)).toBe(100);
  await expect((await pivot.log()).getByText(decomposed).first()).toBeVisible();

  await page.getByRole('tab', { name: 'Recode' }).click();
  await page.getByRole('combobox', { name: /name/ }).fill('caf');
  await expect(page.getByRole('option').filter({ hasText: decomposed })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('button', { name: 'name', exact: true }).click();
  const values = page.getByRole('list', { name: 'Values of name' });
  await page.getByRole('searchbox').or(page.getByPlaceholder(/Find/)).first().fill('café');
  await expect(values.getByRole('listitem')).toHaveCount(2);
  await expect(values.getByText(decomposed)).toBeVisible();
  await expect(values.getByText(composed, { exact: true })).toBeVisible();
});

test('names are sorted by language, or in an order that the user sets and a link carries', async ({
  page,
  service,
}) => {
  const { api } = service;
  await service.query(`CREATE TABLE public.articles AS
    SELECT name, area, amount::numeric(12,2) FROM (VALUES ('Item 10', 'West', 10), ('Item 9', 'öst', 9),
      ('item 1', 'Öst', 1), ('Öl', 'West', 5), ('Opal', 'Öst', 6), (NULL, 'West', 7)) AS of (name, area, amount)`);
  const { id } = (await api.post('/sources', { schema: 'public', tname: 'articles' })).body;
  await api.put(`/sources/${id}/columns`, [
    { cname: 'name', role: 'dimension', is_key: true, label: 'Article' },
    { cname: 'area', role: 'dimension', is_key: true },
    { cname: 'amount', role: 'value' },
  ]);
  await api.post(`/sources/${id}/sql`);
  const version = (await api.post(`/sources/${id}/versions`, { name: 'Plan' })).body;
  await api.post(`/versions/${version.id}/baseline`, { pf_user: 'ana' });

  const pivot = new PivotPage(page);
  await pivot.open(version.id);
  await arrange(page, { group_by: ['name'], split_by: ['area'], columns: ['amount'] });
  const rows = async () =>
    (await pivot.cells()).filter(({ column, row }) => !column && row[0]).map(({ row }) => row[0]);
  const columns = async () =>
    (await pivot.cells()).filter(({ row }) => row.length === 0).map(({ column }) => column?.[0]);
  await expect.poll(rows).toEqual(['(empty)', 'item 1', 'Item 9', 'Item 10', 'Öl', 'Opal']);
  await expect.poll(async () => (await columns()).filter(Boolean)).toEqual(['öst', 'Öst', 'West']);

  // The cell that is clicked is the one that was drawn there.
  await pivot.click({ row: ['Item 9'], column: ['öst', 'amount'] });
  await expect(pivot.slice).toContainText('Item 9');
  await page.keyboard.type('90');
  await page.keyboard.press('Enter');
  await expect.poll(() => pivot.number({ row: ['Item 9'], column: ['öst', 'amount'] })).toBe(90);

  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  await page.getByRole('button', { name: 'Arrange Article' }).click();
  await page.getByRole('menuitem', { name: 'Order of its values …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Order of Article' });
  await dialog.getByRole('button', { name: 'Move Öl up' }).click();
  for (let i = 0; i < 3; i++) await page.keyboard.press('Alt+ArrowUp');
  await page.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('listitem')).toHaveText([
    ...['Öl', '(empty)', 'item 1', 'Item 9', 'Item 10', 'Opal'].map(
      (name) => new RegExp(`^\\s*${name.replace(/[()]/g, '\\$&')}\\s*$`),
    ),
  ]);
  await dialog.getByRole('button', { name: 'Use this order' }).click();
  await expect.poll(rows).toEqual(['Öl', '(empty)', 'item 1', 'Item 9', 'Item 10', 'Opal']);
  await expect(page).toHaveURL(/order=name:%C3%96l$/);
  await page.reload();
  await pivot.drawn();
  await expect.poll(rows).toEqual(['Öl', '(empty)', 'item 1', 'Item 9', 'Item 10', 'Opal']);
  await pivot.click({ row: ['Öl'], column: ['West', 'amount'] });
  await expect(pivot.slice).toContainText('Öl');

  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  await page.getByRole('button', { name: 'Arrange Article' }).click();
  await page.getByRole('menuitem', { name: 'Order of its values …' }).click();
  await dialog.getByRole('button', { name: 'Sort by name' }).click();
  await expect.poll(rows).toEqual(['(empty)', 'item 1', 'Item 9', 'Item 10', 'Öl', 'Opal']);
  await expect(page).not.toHaveURL(/order=/);
});
