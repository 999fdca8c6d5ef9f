import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { violations } from '../support/axe';
import { expect, test } from '../support/e2e';
import { makeAwkwardPlan } from './awkward-source';
import { arrange, PivotPage } from './pivot-page';
import { readWorkbook, type SheetCell } from './workbook';

/** Chooses from the menu by keyboard and returns the downloaded file. */
async function take(page: Page, item: string) {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).press('Enter');
  await page.keyboard.type(item.slice(0, 3));
  await expect(page.getByRole('menuitem', { name: item, exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  const file = await download;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

const valuesOf = (cells: readonly SheetCell[] = []) => cells.map(({ value }) => value);

/** Returns the number of a day in a spreadsheet. */
const dayOf = (iso: string) => Date.parse(`${iso}T00:00:00Z`) / 86_400_000 + 25_569;

const MEASURES = ['value', 'value: reference', 'value: Δ %'];

/** The database's sum for a cell; columns that are summed over are 1 in `above` and `total`. */
interface Sum {
  region: string | null;
  sub: string | null;
  above: number;
  day: string | null;
  total: number;
  plan: number | null;
  reference: number | null;
}

test('the pivot is exported as a typed, outlined workbook with facts about itself', async ({
  page,
  service,
}) => {
  const { versionId, table } = await makeAwkwardPlan(service);
  const loaded = await service.api.post(`/versions/${versionId}/reference`, {
    filters: [[{ cname: 'flag', op: '=', value: true }]],
    pf_user: 'ana',
  });
  expect(loaded).toMatchObject({ status: 200 });
  const set = { region: '=1+1' };
  await service.api.post(`/versions/${versionId}/recode`, {
    ...{ slice: { region: 'a|b' }, set, pf_user: 'ana' },
  });
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, {
    group_by: ['region', 'sub-category'],
    split_by: ['month'],
    columns: MEASURES,
    expressions: { month: `bucket("Order Date", 'M')` },
    filter: [['size', '==', 40]],
    sort: [],
  });
  await page.getByRole('button', { name: 'Levels' }).click();
  await page.getByRole('menuitem', { name: 'Only region' }).click();
  await page.getByRole('button', { name: 'Levels' }).click();
  await page.getByRole('menuitem', { name: 'Total column last' }).click();
  await expect(pivot.grid.getByText('Total', { exact: true }).first()).toBeVisible();
  await pivot.click({ row: ['null'] });
  await page.keyboard.press(' ');
  await expect.poll(() => pivot.find({ row: ['null', 'Chairs'] })).not.toBeNull();

  const file = await take(page, 'Excel workbook of the pivot');
  expect(file.name).toBe('Plan.xlsx');
  await expect(page.getByText('Workbook exported: ')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Export' })).toBeFocused();
  const sheets = await readWorkbook(page, file.bytes);
  expect([...sheets.keys()]).toEqual(['Pivot', 'About', 'Forecast Pivot data']);

  const { rows = [], frozen, columnLevels } = sheets.get('Pivot') ?? {};
  expect(frozen).toEqual([2, 1]);
  expect(columnLevels).toEqual([0, ...Array<number>(12).fill(1), 0, 0, 0]);
  const [months, heads, ...body] = rows;
  const wanted = [null, '2025-12-01', '2026-01-01', '2026-02-01'];
  const days = wanted.map((day) => (day === null ? '(empty)' : dayOf(day)));
  const across = [...days, 'Total'].flatMap((day) => MEASURES.map(() => day));
  expect(valuesOf(months?.cells)).toEqual(['month', ...across]);
  expect(months?.cells[4]).toMatchObject({ format: 'mmm yyyy', bold: true });
  expect(valuesOf(heads?.cells)).toEqual([
    'region / sub-category',
    ...across.map((_, i) => MEASURES[i % 3]),
  ]);

  // Every number on the sheet is compared with the database.
  const label = (value: string | null) =>
    value === null ? '(empty)' : value === '' ? '(blank)' : value;
  const sums = (await service.query(
    `SELECT region, sub, grouping(region) + grouping(sub) AS above, day, grouping(day) AS total,
        sum(value) FILTER (WHERE pf_iter <> 'reference')::float8 AS plan,
        sum(value) FILTER (WHERE pf_iter = 'reference')::float8 AS reference
      FROM (SELECT *, "sub-category" AS sub, date_trunc('month', "Order Date")::date::text AS day
              FROM ${table} WHERE size = 40) AS rows
      GROUP BY GROUPING SETS ((), (region), (region, sub)), CUBE (day)`,
  )) as Sum[];
  const numberOf = new Map(
    sums.flatMap(({ region, sub, above, day, total, plan, reference }) => {
      const row = [label(region), label(sub)].slice(0, 2 - above);
      const column = total ? 'Total' : day === null ? '(empty)' : dayOf(day);
      const share = reference ? ((plan ?? 0) - reference) / Math.abs(reference) : null;
      return [plan, reference, share].map((sum, at): [string, number | null] => [
        JSON.stringify([row, column, MEASURES[at]]),
        sum,
      ]);
    }),
  );
  const path: string[] = [];
  for (const { level, cells } of body) {
    const [head, ...amounts] = cells;
    path.length = level;
    if (level > 0) path[level - 1] = String(head?.value);
    const isOpen = level === 0 || (level === 1 && path[0] === 'null');
    expect(head).toMatchObject({ value: level === 0 ? 'TOTAL' : path.at(-1), bold: isOpen });
    for (const [x, day] of across.entries()) {
      const measure = String(valuesOf(heads?.cells)[x + 1]);
      const cell = `${path.join(' / ')}, ${day}, ${measure}`;
      const stored = numberOf.get(JSON.stringify([path, day, measure])) ?? null;
      const { value = null, format, bold } = amounts[x] ?? {};
      // The engine sums no rows to 0; a share of nothing does not exist.
      if (stored === null) expect(value || null, cell).toBeNull();
      else {
        expect(value, cell).toBeCloseTo(stored, 9);
        expect([format, bold], cell).toEqual([
          x % 3 === 2 ? '+#,##0.0%;-#,##0.0%;#,##0.0%' : '#,##0.00',
          isOpen || day === 'Total',
        ]);
      }
    }
  }
  const shown = body.map(({ level, cells }) => [level, cells[0]?.value]);
  expect(shown[0]).toEqual([0, 'TOTAL']);
  expect(new Set(shown.filter(([level]) => level === 1).map(([, text]) => text))).toEqual(
    new Set(['West', 'East', '(blank)', 'null', '(empty)', 'a|b', '=1+1', 'a']),
  );
  expect(new Set(shown.filter(([level]) => level === 2).map(([, text]) => text))).toEqual(
    new Set(['Chairs', 'b', 'b|b', 'null', '(empty)']),
  );

  const about = sheets.get('About')?.rows.map(({ cells }) => valuesOf(cells)) ?? [];
  const said = new Map(about.map(([name, what]) => [name, what]));
  expect(about.map(([name]) => name)).toEqual([
    ...['Version', 'Source', 'View', 'Filter', 'As of', 'Exported', 'Time zone', 'By', 'Address'],
  ]);
  expect(said.get('Version')).toBe('Plan');
  expect(said.get('Source')).toBe('awkward sales (public.awkward sales)');
  expect(said.get('View')).toBe('Default of the source, changed');
  expect(said.get('Filter')).toBe('size = 40');
  expect(said.get('By')).toBe('ana');
  expect(said.get('Address')).toBe(page.url());
  const { clock, zone } = await page.evaluate(() => ({
    clock: Date.now() - new Date().getTimezoneOffset() * 60_000,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }));
  expect(said.get('Time zone')).toBe(zone);
  expect(Math.abs(Number(said.get('Exported')) - (clock / 86_400_000 + 25_569))).toBeLessThan(0.01);
});

test('all rows are exported as CSV, and their address is shown for other programs', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const { name, bytes } = await take(page, 'CSV of all rows');
  const [{ version } = { version: '' }] = (await service.query(
    'SELECT name AS version FROM pf.version WHERE id = 1',
  )) as { version: string }[];
  expect(name).toBe(`${version}.csv`);
  const [header = '', ...lines] = bytes.toString().trimEnd().split('\n');
  expect(header).toMatch(/^.*Category.*Sales.*pf_note,pf_op$/);
  const stored = (await service.query('SELECT count(*)::int AS rows FROM pf.fc_superstore_1')) as {
    rows: number;
  }[];
  expect([{ rows: lines.length }]).toEqual(stored);

  await page.getByRole('button', { name: 'Export' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Use in other programs' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Use in other programs' });
  const url = `${service.url}/api/versions/1/data`;
  await expect(dialog.getByRole('definition').filter({ hasText: url })).toHaveCount(4);
  for (const program of ['DuckDB', 'pandas', 'Excel, Power Query'])
    await expect(dialog.getByRole('button', { name: `Copy: ${program}` })).toBeVisible();
  expect(await violations(page, { include: ['[role=dialog]'] })).toEqual([]);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialog.getByRole('button', { name: 'Copy: pandas' }).press('Enter');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`pd.read_csv('${url}', storage_options={'Accept': 'text/csv'}, `);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});
