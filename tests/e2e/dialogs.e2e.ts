import type { Page, Route } from '@playwright/test';
import { expect, test, visit } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** A dialog that writes. */
interface Written {
  name: string;
  open(page: Page): Promise<void>;
  /** The fields to fill, by label. */
  fields: Record<string, string>;
  confirm: string;
  /** Method and path of the request. */
  request: [method: string, path: string];
}

const chooseOf = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'Actions for Plan 2027', exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

const inVersions = (item: string) => async (page: Page) => {
  await visit(page, '/sources/1?tab=versions');
  await chooseOf(page, item);
};

const inArrange =
  (...buttons: string[]) =>
  async (page: Page) => {
    await new PivotPage(page).open(1);
    for (const name of buttons) await page.getByRole('button', { name, exact: true }).click();
  };

const DIALOGS: Written[] = [
  {
    name: 'New version',
    open: async (page) => {
      await visit(page, '/sources/1?tab=versions');
      await page.getByRole('button', { name: 'New version' }).click();
    },
    fields: { Name: 'Cautious', Description: 'Without the West' },
    confirm: 'Create version',
    request: ['POST', '/api/sources/1/versions'],
  },
  {
    name: 'Duplicate Plan 2027',
    open: inVersions('Duplicate …'),
    fields: { Name: 'Cautious' },
    confirm: 'Duplicate',
    request: ['POST', '/api/versions/1/copy'],
  },
  {
    name: 'Replay Plan 2027 on today’s data',
    open: inVersions('Replay on today’s data …'),
    fields: { Name: 'Cautious' },
    confirm: 'Replay',
    request: ['POST', '/api/versions/1/replay'],
  },
  {
    name: 'Delete Plan 2027?',
    open: inVersions('Delete …'),
    fields: { 'Type “Plan 2027” to confirm': 'Plan 2027' },
    confirm: 'Delete version',
    request: ['DELETE', '/api/versions/1'],
  },
  {
    name: 'Start from a forecast',
    open: async (page) => {
      await visit(page, '/versions/1/baseline');
      await page.getByRole('button', { name: 'Start from a forecast …' }).click();
    },
    fields: { Note: 'As last year' },
    confirm: 'Load the forecast',
    request: ['POST', '/api/versions/1/forecast'],
  },
  {
    name: 'Formulas',
    open: inArrange('Arrange', 'Formulas …'),
    fields: { Name: 'Per piece', Expression: 'Sales / Quantity' },
    confirm: 'Save',
    request: ['POST', '/api/sources/1/formulas'],
  },
  {
    name: 'Profiles',
    open: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: [], column: ['2027', 'Sales'] });
      await pivot.panel.getByRole('button', { name: 'Edit profiles' }).click();
    },
    fields: { Name: 'Summer', July: '3' },
    confirm: 'Save',
    request: ['POST', '/api/sources/1/profiles'],
  },
  {
    name: 'Close months',
    open: async (page) => {
      await new PivotPage(page).open(1);
      await chooseOf(page, 'Close months …');
      await page.getByLabel('Close with 0').check();
    },
    fields: { Note: 'January is done' },
    confirm: 'Close 1 month',
    request: ['POST', '/api/versions/1/actuals'],
  },
];

test.beforeEach(({ page }) => new PivotPage(page).keepUser('Ann Planner'));

for (const { name, open, fields, confirm, request } of DIALOGS) {
  test(`${name}: keeps its fields and the focus until the write succeeds, and is sent once`, async ({
    page,
  }) => {
    const [method, path] = request;
    const sent: Route[] = [];
    await page.route(
      (url) => url.pathname === path,
      (route) => {
        if (route.request().method() !== method) return route.continue();
        sent.push(route);
      },
    );
    await open(page);
    const dialog = page.getByRole('dialog', { name });
    const button = dialog.getByRole('button', { name: confirm, exact: true });
    const warning = dialog.getByText('Press Esc again to discard it.');
    await expect(dialog.locator(':focus')).toHaveCount(1);
    for (const [label, text] of Object.entries(fields)) {
      await dialog.getByLabel(label, { exact: true }).fill(text);
    }
    await page.keyboard.press('Tab');
    await expect(button).toBeEnabled();

    // Escape and a click outside warn, and discard nothing.
    await page.keyboard.press('Escape');
    await expect(warning).toBeVisible();
    await page.mouse.click(4, 450);
    await expect(warning).toBeVisible();
    const unloads = page.waitForEvent('dialog');
    const reload = page.reload({ timeout: 2000 }).catch(() => null);
    const asked = await unloads;
    expect(asked.type()).toBe('beforeunload');
    await asked.dismiss();
    await reload;

    for (const code of [500, 409, 422]) {
      await button.press('Enter');
      await expect.poll(() => sent.length).toBe(1);
      // Until the answer comes, nothing closes the dialog or sends again.
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await expect(button).toBeFocused();
      await expect(button).toBeDisabled();
      const error = `Refused with ${code}.`;
      await sent.pop()!.fulfill({ status: code, json: { error } });
      await expect(dialog.getByRole('alert').filter({ hasText: error })).toBeInViewport();
      await expect(button).toBeFocused();
      await expect(button).toBeEnabled();
    }
    for (const [label, text] of Object.entries(fields)) {
      await expect(dialog.getByLabel(label, { exact: true })).toHaveValue(text);
    }
    await button.dblclick();
    await expect.poll(() => sent.length).toBe(1);
    await sent[0]!.continue();
    await expect(dialog).toHaveCount(0);
    expect(sent).toHaveLength(1);
    await expect(page.locator('body')).not.toBeFocused();
  });
}

test('a dialog that was not filled in closes by one Escape, a filled one by the second', async ({
  page,
}) => {
  await visit(page, '/');
  await page.getByRole('link', { name: 'Superstore', exact: true }).click();
  await page.getByRole('tab', { name: /Versions/ }).click();
  const opener = page.getByRole('button', { name: 'New version' });
  const dialog = page.getByRole('dialog', { name: 'New version' });
  await opener.click();
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(opener).toBeFocused();

  await opener.click();
  await page.keyboard.type('Cautious');
  await page.keyboard.press('Escape');
  await page.keyboard.type(' plan');
  // The next key removes the warning.
  await expect(dialog.getByRole('status')).toHaveCount(0);
  await page.goBack();
  await expect(dialog.getByLabel('Name')).toHaveValue('Cautious plan');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await opener.click();
  await expect(dialog.getByLabel('Name')).toHaveValue('');

  // Enter in a field submits the dialog.
  await page.keyboard.type('Cautious');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'Cautious', exact: true })).toBeVisible();
});

test('a server that does not answer is named in the dialog, and the next try succeeds', async ({
  page,
}) => {
  await visit(page, '/sources/1?tab=versions');
  await page.getByRole('button', { name: 'New version' }).click();
  const dialog = page.getByRole('dialog', { name: 'New version' });
  await page.keyboard.type('Cautious');
  const url = '**/api/sources/1/versions';
  await page.route(url, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('The server does not answer.');
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.unroute(url);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'Cautious', exact: true })).toBeVisible();
});
