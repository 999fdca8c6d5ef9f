import type { Page } from '@playwright/test';
import { test, expect, visit } from '../support/e2e';
import type { Service } from '../support/service';
import { arrange, PivotPage } from './pivot-page';

/** A view has only the open row levels; other levels are added when they are first opened. */

const ROWS = ['Region', 'Category', 'Segment'];

/** Returns the columns by which the engine's view is grouped. */
const groupsOf = (page: Page): Promise<string[]> =>
  page
    .locator('perspective-viewer')
    .evaluate(
      async (viewer) =>
        (await (viewer as HTMLElement & { save(): Promise<{ group_by: string[] }> }).save())
          .group_by,
    );

async function sales(service: Service, ...path: string[]): Promise<number> {
  const where = path.map((_, i) => `"${ROWS[i]}" = $${i + 1}`).join(' AND ') || 'TRUE';
  const [row] = await service.query<{ sales: number }>(
    `SELECT sum("Sales")::numeric(20,2)::float8 AS sales FROM pf.fc_superstore_1 WHERE ${where}`,
    path,
  );
  return row?.sales ?? NaN;
}

const sold = (...row: string[]) => ({ row, column: ['Sales'] });

test('a row level joins the view when it is first opened, and the rest of the pivot does not move', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  const address = `/versions/1?rows=${ROWS.join(',')}&columns=&measures=Sales&depth=0`;
  await visit(page, address);
  await pivot.drawn();
  expect(await groupsOf(page)).toEqual(['Region']);
  expect(await pivot.number(sold('East'))).toBe(await sales(service, 'East'));
  const header = (name: string) => pivot.grid.locator('tbody th', { hasText: name });
  await expect(header('East')).toHaveAttribute('aria-expanded', 'false');

  // The selection survives the rebuilt view and can be changed.
  await pivot.click(sold('West'));
  await pivot.toggle('East');
  await expect.poll(() => pivot.find(sold('East', 'Furniture'))).not.toBeNull();
  expect(await groupsOf(page)).toEqual(['Region', 'Category']);
  expect(await pivot.find(sold('West', 'Furniture'))).toBeNull();
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(1);
  await expect(pivot.slice).toContainText('Region = West');
  await pivot.scaleValue(10);
  await expect.poll(() => pivot.number(sold('West'))).toBe(await sales(service, 'West'));

  await pivot.toggle('East', 'Furniture');
  const consumers = sold('East', 'Furniture', 'Consumer');
  await expect.poll(() => pivot.find(consumers)).not.toBeNull();
  expect(await groupsOf(page)).toEqual(ROWS);
  expect(await pivot.number(consumers)).toBe(await sales(service, ...consumers.row));
  await pivot.click(consumers);
  await expect(pivot.slice).toContainText('Segment = Consumer');

  // A closed level stays in the view and reopens immediately.
  await pivot.toggle('East');
  await expect.poll(() => pivot.find(sold('East', 'Furniture'))).toBeNull();
  expect(await groupsOf(page)).toEqual(ROWS);
  expect(new URL(page.url()).searchParams.get('rows')).toBe(ROWS.join(','));

  // After a reload, no open row needs these levels.
  await page.reload();
  await pivot.drawn();
  expect(await groupsOf(page)).toEqual(['Region']);
  await page.getByRole('button', { name: 'Levels' }).click();
  await page.getByRole('menuitem', { name: 'Down to Category' }).click();
  await expect.poll(() => pivot.find(sold('West', 'Furniture'))).not.toBeNull();
  expect(await groupsOf(page)).toEqual(ROWS.slice(0, 2));
  expect(await pivot.number(sold())).toBe(await sales(service));

  // A level that is removed from outside stays removed.
  await arrange(page, { group_by: ['Region'] });
  await expect.poll(() => new URL(page.url()).searchParams.get('rows')).toBe('Region');
  await expect(header('East')).not.toHaveAttribute('aria-expanded');
  expect(await groupsOf(page)).toEqual(['Region']);
});
