import { test, expect, visit } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { PivotPage } from './pivot-page';

/** An action to run as soon as the engine receives many rows. */
type AtRows = Window & { atRows?: (() => void) | null };

/**
 * If this many rows are removed and as many stay, the remaining rows are reloaded
 * (docs/decisions/0008-a-grid-of-our-own.md).
 */
const ROWS = 150_000;
const OPENED = ['East', 'North', 'South', 'West'];
const PARTS = ['Bar', 'Bolt', 'Nut'];
const TOTAL = { row: [], column: ['amount'] };

test.use({ template: 'service' });

test('a large undo never shows the sum of only some rows', async ({ page, service }) => {
  await service.query(`CREATE TABLE public.sales AS
    SELECT (ARRAY['North', 'East', 'South', 'West'])[1 + i % 4] AS region,
      (ARRAY['Bar', 'Bolt', 'Nut'])[1 + i % 3] AS part, 'Order ' || i AS "order",
      10::numeric(12,2) AS amount
    FROM generate_series(1, ${ROWS}) AS i`);
  const { versionId } = await planTable(service, 'sales', {
    region: 'dimension',
    part: 'dimension',
    order: 'dimension',
    amount: 'value',
  });
  await page.addInitScript(() => {
    const { prototype } = MessagePort;
    prototype.postMessage = new Proxy(prototype.postMessage, {
      apply(post, port, message) {
        const [sent] = message as unknown[];
        const areRows = sent instanceof ArrayBuffer && sent.byteLength > 200_000;
        Reflect.apply(post, port, message);
        if (!areRows) return;
        const page = window as AtRows;
        const { atRows } = page;
        page.atRows = null;
        atRows?.();
      },
    });
  });
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await visit(page, `/versions/${versionId}?rows=region,part&depth=1&columns=&measures=amount`);
  await pivot.drawn();
  const rows = () =>
    pivot.grid
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) =>
          [...row.querySelectorAll('th')].map((head) => head.textContent.trim()).join(''),
        ),
      );
  expect(await rows()).toEqual(['TOTAL', ...OPENED.flatMap((row) => [row, ...PARTS])]);
  const before = 1_500_000;
  await expect.poll(() => pivot.number(TOTAL)).toBe(before);

  await pivot.click(TOTAL);
  await pivot.scaleValue(10);
  await expect.poll(() => pivot.number(TOTAL)).toBe(1_650_000);
  const seen = await pivot.grid.evaluateHandle((grid) => {
    const sums = new Set<string>();
    const note = () => sums.add(grid.querySelector('tbody td')?.textContent ?? '');
    new MutationObserver(note).observe(grid, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    return sums;
  });
  // While only some rows are loaded, the user closes a row.
  await pivot.grid.evaluate((grid) => {
    (window as AtRows).atRows = () => {
      const row = [...grid.querySelectorAll('th.pf-tree')].find(
        ({ textContent }) => textContent.trim() === 'South',
      );
      const { left: clientX = 0, top: clientY = 0 } = row?.getBoundingClientRect() ?? {};
      row?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, clientX, clientY }));
    };
  });
  await page.keyboard.press('Control+z');
  await expect.poll(() => pivot.number(TOTAL)).toBe(before);
  const shown = await seen.evaluate((sums) => [...sums]);
  expect(['1,650,000.00', '1,500,000.00']).toEqual(expect.arrayContaining(shown));
  expect(shown).toContain('1,500,000.00');
  const west = () => pivot.number({ row: ['West'], column: ['amount'] });
  await expect.poll(west).toBe(375_000);
  const counted = (rows: number) => page.getByText(`${rows.toLocaleString('en-US')} rows`).first();
  await expect(counted(ROWS)).toBeVisible();
  const isOpen = (row: string) => row !== 'South';
  await expect
    .poll(rows)
    .toEqual(['TOTAL', ...OPENED.flatMap((row) => [row, ...(isOpen(row) ? PARTS : [])])]);

  await pivot.type('Percent', '20');
  await pivot.apply.click();
  await expect.poll(() => pivot.number(TOTAL)).toBe(1_800_000);
  await expect.poll(west).toBe(450_000);
  await expect(counted(2 * ROWS)).toBeVisible();
});
