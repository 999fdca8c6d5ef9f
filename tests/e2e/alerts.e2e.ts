import { violations, WCAG } from '../support/axe';
import { expect, test } from '../support/e2e';
import { type CellName, PivotPage } from './pivot-page';

/** Alerts: made by the dialog of marks, told when an amount is typed, listed, explained and deleted. */

const CHAIRS: CellName = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const VIEW = '?rows=Category,Sub-Category&columns=Order+Year&measures=Sales&depth=1';

test('an alert is made, begins when an amount is typed, and is explained by its owner', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page, 'ann');
  await pivot.open(1, VIEW);
  // A rule of a mark becomes an alert, with its number and the fields of the rows.
  await pivot.grid.locator('thead th.pf-measure').last().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Mark cells …' }).click();
  const marks = page.getByRole('dialog', { name: 'Mark cells of Sales' });
  await marks.getByLabel('Amount, in full').fill('5,000,000');
  await marks.getByRole('button', { name: 'Tell me when …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tell me when …' });
  await expect(dialog.getByLabel('Is', { exact: true })).toHaveValue('above');
  await expect(dialog.getByLabel('Amount, in full')).toHaveValue('5,000,000');
  await expect(dialog.getByRole('checkbox', { name: 'Sub-Category', exact: true })).toBeChecked();
  await expect(dialog.getByRole('checkbox', { name: 'Order Year' })).not.toBeChecked();
  await expect(dialog.getByRole('combobox', { name: 'Tell' })).toHaveValue('ann');
  await dialog.getByRole('checkbox', { name: 'Ask for the reason in a comment' }).check();
  expect(await violations(page, { include: ['[role=dialog]'], tags: WCAG })).toEqual([]);
  await dialog.getByRole('button', { name: 'Make the alert' }).click();
  await expect(dialog).toHaveCount(0);

  // Nothing holds yet.
  const list = page.getByRole('dialog', { name: 'Alerts' });
  const alert = list.getByRole('article', { name: 'Alert Sales above 5,000,000' });
  await page.getByRole('button', { name: 'Alerts', exact: true }).click();
  await expect(alert.getByText('Holds for none')).toBeVisible();
  await page.keyboard.press('Escape');

  // The alert holds after an amount was typed into a cell.
  await pivot.click(CHAIRS);
  await page.keyboard.type('6000000');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Alerts', exact: true })).toHaveText('1');
  await page.getByRole('button', { name: 'Alerts', exact: true }).click();
  await expect(alert.getByText('Holds for 1')).toBeVisible();
  await alert.getByRole('button', { name: 'Groups of Sales above 5,000,000' }).click();
  const group = alert.getByRole('listitem').getByRole('button');
  await expect(group).toContainText('Sub-Category = Chairs');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, { include: ['[role=dialog]'], tags: WCAG })).toEqual([]);
  }
  await group.click();
  await expect(list).toHaveCount(0);
  await expect(pivot.panel).toContainText('Chairs');

  // The thread asks ann, who answers.
  await pivot.panel.getByRole('button', { name: /^Comments/ }).click();
  const asked = pivot.panel.getByRole('article').filter({ hasText: 'What is the reason?' });
  await expect(asked).toContainText('@ann Alert “Sales above 5,000,000”');
  const reply = pivot.panel.getByRole('button', { name: 'Reply', exact: true });
  await reply.click();
  await pivot.panel.getByRole('textbox', { name: 'Reply' }).fill('A large order.');
  await reply.click();
  await expect(
    pivot.panel.getByRole('article').filter({ hasText: 'A large order.' }),
  ).toBeVisible();

  // The home page leads to the groups.
  await page.getByRole('link', { name: 'Sources' }).first().click();
  const line = page
    .getByRole('region', { name: 'Alerts' })
    .getByRole('link', { name: /Sales above 5,000,000/ });
  await expect(line).toContainText('Holds for 1 group');
  await line.click();
  await expect(alert.getByRole('listitem')).toHaveCount(1);

  // An undo by somebody else ends it, while the list is open.
  const { entries } = (await service.api.get('/versions/1/log')).body;
  const last = entries.find(({ operation }: { operation: string }) => operation === 'scale');
  await service.api.del(`/log/${last.id}`);
  await expect(alert.getByText('Holds for none')).toBeVisible();
  await expect(alert.getByRole('listitem')).toContainText('ended');
  await alert.getByRole('button', { name: 'Delete the alert' }).click();
  await expect(list.getByText('No alerts.')).toBeVisible();
});

test('an alert is made and changed with the keyboard', async ({ page }) => {
  const pivot = new PivotPage(page, 'ann');
  await pivot.open(1, VIEW);
  const button = page.getByRole('button', { name: 'Alerts', exact: true });
  await button.press('Enter');
  await page.getByRole('button', { name: 'Make an alert …' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Tell me when …' });
  await dialog.getByLabel('Is', { exact: true }).selectOption('outside');
  await dialog.getByLabel('From', { exact: true }).fill('-5');
  await dialog.getByLabel('From', { exact: true }).press('Enter');
  await expect(dialog.getByText('Enter both numbers.')).toBeVisible();
  await dialog.getByLabel('To', { exact: true }).fill('5.5');
  await dialog.getByLabel('Compare').selectOption('difference_pct');
  await dialog.getByLabel('Name').fill('Tolerance');
  await dialog.getByLabel('Name').press('Enter');
  await expect(dialog).toHaveCount(0);
  await button.press('Enter');
  const alert = page.getByRole('article', { name: 'Alert Tolerance' });
  await expect(alert).toContainText(
    'Sales Δ % outside of -5 % to 5.5 %, by Category, Sub-Category',
  );
  await alert.getByRole('button', { name: 'Change the alert Tolerance' }).press('Enter');
  const change = page.getByRole('dialog', { name: 'Change the alert' });
  await expect(change.getByLabel('To', { exact: true })).toHaveValue('5.5');
  await change.getByRole('checkbox', { name: 'Sub-Category', exact: true }).press('Space');
  await change.getByLabel('Name').press('Enter');
  await expect(change).toHaveCount(0);
  await button.press('Enter');
  await expect(alert).toContainText('by Category');
  await expect(alert).not.toContainText('by Category, Sub-Category');
});
