import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import type { Service } from '../support/service';
import { arrange, PivotPage } from './pivot-page';

/** The engine has only the columns that the pivot needs; others are loaded on first use. */

interface Loaded {
  getTable(): Promise<{ schema(): Promise<Record<string, string>> }>;
}

/** Returns the columns of the engine's table. */
const columnsOf = (page: Page): Promise<string[]> =>
  page
    .locator('perspective-viewer')
    .evaluate(async (viewer) =>
      Object.keys(await (await (viewer as unknown as Loaded).getTable()).schema()),
    );

/** Returns the stored sums by a column. */
const sales = async (service: Service, column: string) => {
  const rows = await service.query<{ value: string; sales: number }>(
    `SELECT "${column}" AS value, sum("Sales")::numeric(20,2)::float8 AS sales
     FROM pf.fc_superstore_1 GROUP BY 1`,
  );
  return new Map(rows.map(({ value, sales }) => [value, sales]));
};

/** Waits until the pivot shows the stored sums. */
async function showsStored(pivot: PivotPage, service: Service, column: string): Promise<void> {
  for (const [value, wanted] of await sales(service, column)) {
    await expect
      .poll(() => pivot.number({ row: [value], column: ['Sales'] }), { message: value })
      .toBe(wanted);
  }
}

const SEARCH = '?rows=Region&columns=&measures=Sales';

test('columns join the engine’s table on first use, with all earlier changes', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, SEARCH);
  expect((await columnsOf(page)).sort()).toEqual(['Region', 'Sales', 'pf_id', 'pf_logid']);
  await pivot.click({ row: ['West'], column: ['Sales'] });
  await pivot.scaleValue(10);
  await showsStored(pivot, service, 'Region');

  // The filter lists its values without the engine.
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByLabel('Find a field to filter by').fill('Segment');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Only Consumer' })).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await columnsOf(page)).not.toContain('Segment');

  await arrange(page, { group_by: ['Segment'] });
  await pivot.drawn();
  expect(await columnsOf(page)).toContain('Segment');
  expect(await columnsOf(page)).not.toContain('Category');
  await showsStored(pivot, service, 'Segment');
  await expect.poll(() => new URL(page.url()).searchParams.get('rows')).toBe('Segment');

  // Changes of rows reach the current table.
  const entries = async () => (await service.query('SELECT FROM pf.log')).length;
  await pivot.click({ row: ['Consumer'], column: ['Sales'] });
  await pivot.type('Percent', '-20');
  await pivot.apply.click();
  await expect.poll(entries).toBe(3);
  await showsStored(pivot, service, 'Segment');
  for (const left of [2, 1]) {
    await page.keyboard.press('Control+z');
    await expect.poll(entries).toBe(left);
    await showsStored(pivot, service, 'Segment');
  }

  // A loaded column stays.
  await arrange(page, { group_by: ['Region'] });
  await showsStored(pivot, service, 'Region');
  expect(await columnsOf(page)).toContain('Segment');
});

test('a change during the loading of columns is included in them', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, SEARCH);
  for (const column of ['Category', 'Segment', 'Ship Mode']) {
    const change = { pf_user: 'bob', slice: { Region: 'East' }, pct: 10 };
    const [written] = await Promise.all([
      service.api.post('/versions/1/scale', change),
      arrange(page, { group_by: [column] }),
    ]);
    expect(written.status).toBe(200);
    await showsStored(pivot, service, column);
  }
  await arrange(page, { group_by: ['Region'] });
  await showsStored(pivot, service, 'Region');
});

test('a layout that the engine refuses leaves the screen unchanged, and the next one is shown', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, SEARCH);
  const refused = arrange(page, { group_by: ['Category'], filter: [['no column', '==', 1]] });
  await expect(refused).rejects.toThrow();
  await showsStored(pivot, service, 'Region');
  await arrange(page, { group_by: ['Segment'], filter: [] });
  await showsStored(pivot, service, 'Segment');
});
