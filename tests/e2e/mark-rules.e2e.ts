import type { Page } from '@playwright/test';
import { violations, WCAG } from '../support/axe';
import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Cells that rules mark: by a menu, in the address, and with signs for those who do not see colours. */

/** Adds a rule in the dialog of the header of a measure. */
async function addRule(page: Page, pivot: PivotPage, kind: string, amount?: string) {
  await pivot.grid.locator('thead th.pf-measure').last().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Mark cells …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Mark cells of Sales' });
  await dialog.getByLabel('Mark', { exact: true }).selectOption(kind);
  if (amount !== undefined) await dialog.getByLabel('Amount, in full').fill(amount);
  expect(await violations(page, { include: ['[role=dialog]'], tags: WCAG })).toEqual([]);
  await dialog.getByRole('button', { name: 'Add the rule' }).click();
  const text = [`Sales ${kind.toLowerCase()}`, amount ?? []].flat().join(' ');
  await expect(page.getByRole('button', { name: `Remove the mark ${text}` })).toBeVisible();
}

/** Returns the cells with their texts, signs and bars. */
const drawn = (pivot: PivotPage) =>
  pivot.grid.evaluate((grid) =>
    [...grid.querySelectorAll<HTMLElement>('tbody tr')].flatMap((tr) =>
      [...tr.querySelectorAll('td')].map((td) => ({
        level: Number(tr.dataset.level),
        amount: Number((td.textContent ?? '').replaceAll(',', '')),
        sign: td.dataset.sign ?? null,
        bar: td.dataset.fill === 'bar' ? parseInt(td.style.getPropertyValue('--pf-share')) : null,
      })),
    ),
  );

test('two rules mark cells with signs and bars, stay in the address, and are removed', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Category,Sub-Category&columns=Order+Year&measures=Sales&depth=1');
  await addRule(page, pivot, 'Above', '100,000');
  await addRule(page, pivot, 'Bars');
  await expect(page).toHaveURL(/mark=Sales:above:100000&mark=Sales:bar/);

  const check = async () => {
    await expect.poll(async () => (await drawn(pivot)).some(({ bar }) => bar === 100)).toBe(true);
    const cells = await drawn(pivot);
    const longest = Math.max(...cells.filter(({ level }) => level === 2).map((c) => c.amount));
    for (const { level, amount, sign, bar } of cells) {
      expect(sign, String(amount)).toBe(amount > 100_000 ? 'above' : null);
      // Totals have no bars.
      expect(bar, String(amount)).toBe(level === 2 ? Math.round((amount / longest) * 100) : null);
    }
  };
  await check();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, { tags: WCAG })).toEqual([]);
  }
  // A print has the same signs and bars.
  await page.evaluate(() => Object.assign(window, { print: () => undefined }));
  await page.keyboard.press('Control+p');
  const printed = page.locator('.printed td');
  await expect(printed.first()).toBeAttached();
  const marks = (all: readonly { sign: string | null; bar: number | null }[]) =>
    all.map(({ sign, bar }) => ({ sign, bar }));
  const onPaper = await printed.evaluateAll((cells) =>
    cells.map((td) => ({
      sign: td instanceof HTMLElement ? (td.dataset.sign ?? null) : null,
      bar:
        td instanceof HTMLElement && td.dataset.fill === 'bar'
          ? parseInt(td.style.getPropertyValue('--share'))
          : null,
    })),
  );
  expect(onPaper).toEqual(marks(await drawn(pivot)));

  await page.reload();
  await pivot.drawn();
  await check();

  await page.getByRole('button', { name: 'Remove the mark Sales above 100,000' }).click();
  await expect(page).toHaveURL(/mark=Sales:bar/);
  await expect.poll(async () => (await drawn(pivot)).every(({ sign }) => sign === null)).toBe(true);
  await addRule(page, pivot, 'Smallest 10 %');
  const leaves = (await drawn(pivot)).filter(({ level }) => level === 2);
  await expect
    .poll(async () => (await drawn(pivot)).filter(({ sign }) => sign === 'bottom').length)
    .toBe(Math.ceil(leaves.length / 10));
});
