import type { Browser } from '@playwright/test';
import { test, expect, visit } from '../support/e2e';
import { PivotPage } from './pivot-page';

test.use({
  env: {
    PF_USER_HEADER: 'X-Forwarded-User',
    PF_GROUPS_HEADER: 'X-Forwarded-Groups',
    PF_PLANNERS: 'planners',
    PF_ADMINS: 'admins',
  },
});

const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };

/** Opens the page behind a proxy that has signed a person in. */
async function signedIn(browser: Browser, baseURL: string, name: string, group: string) {
  const extraHTTPHeaders = { 'X-Forwarded-User': name, 'X-Forwarded-Groups': group };
  const context = await browser.newContext({ baseURL, extraHTTPHeaders });
  return new PivotPage(await context.newPage());
}

test('the page shows who is signed in, and hides actions outside their role', async ({
  browser,
  service,
}) => {
  // Three people visit five pages each.
  const rita = await signedIn(browser, service.url, 'rita', 'readers');
  const ann = await signedIn(browser, service.url, 'ann', 'planners');
  const eve = await signedIn(browser, service.url, 'eve', 'admins');
  for (const pivot of [rita, ann]) {
    await pivot.page.goto('/versions/1');
    await pivot.drawn();
  }

  // Nobody has to enter a name.
  await expect(rita.page.getByRole('banner')).toContainText(/Signed in as\s*rita\s*reader/);
  await expect(rita.page.getByRole('button', { name: 'Set your name' })).toHaveCount(0);

  // A reader can select cells, and sees why nothing can be changed.
  await rita.click(CHAIRS);
  await expect(rita.panel).toContainText('You have read access only');
  await expect(rita.panel.getByRole('form', { name: 'Operation' })).toHaveCount(0);
  await rita.page.keyboard.press('w');
  const why = rita.page.getByRole('region', { name: 'Why', exact: true });
  await expect(why.getByRole('listitem').filter({ hasText: /^Now/ })).toBeVisible();
  await expect(why.getByRole('button', { name: /^Undo/ })).toHaveCount(0);
  await rita.page.keyboard.press('w');
  await rita.page.keyboard.type('5');
  await expect(rita.page.locator('#cell-meaning')).toHaveText(/You have read access only/);
  await expect(rita.page.getByLabel('New amount')).toHaveCount(0);
  await rita.page.getByRole('button', { name: 'Layout' }).click();
  await expect(rita.page.getByRole('menuitem', { name: 'Back to the default' })).toBeVisible();
  await expect(rita.page.getByRole('menuitem', { name: /^Save/ })).toHaveCount(0);
  await rita.page.keyboard.press('Escape');

  // Without a menu of the version, the link to the baseline fits a narrow window as an icon.
  const wide = rita.page.viewportSize();
  await rita.page.setViewportSize({ width: 720, height: 450 });
  const toolbar = rita.page.getByRole('toolbar', { name: 'Pivot' });
  await expect(toolbar.getByRole('link', { name: 'Baseline' })).toBeVisible();
  await expect.poll(async () => (await toolbar.boundingBox())?.height).toBeLessThan(50);
  if (wide) await rita.page.setViewportSize(wide);

  await rita.page.getByRole('button', { name: 'Locks' }).click();
  await expect(rita.page.getByRole('heading', { name: 'Locks' })).toBeVisible();
  await expect(rita.page.getByRole('button', { name: 'Lock rows …' })).toHaveCount(0);
  await rita.page.keyboard.press('Escape');

  // A planner's change is recorded under their name and reaches the reader.
  await ann.click(CHAIRS);
  await ann.page.keyboard.type('+10%');
  // Both messages disappear after some seconds.
  await Promise.all([
    expect(ann.page.getByText(/^Scaled: /)).toBeVisible(),
    expect(rita.page.getByText(/^ann: Scale /)).toBeVisible(),
    ann.page.keyboard.press('Enter'),
  ]);
  await expect(ann.page.getByRole('dialog')).toHaveCount(0);
  await ann.page.keyboard.press('Control+z');
  await expect(ann.page.getByText(/^Undone: /)).toBeVisible();
  const log = await rita.log();
  await log.getByText(/^Undone \(1\)/).click();
  await expect(log.getByText(/by ann, undone by ann/)).toBeVisible();
  await expect(log.getByRole('button', { name: /^(Undo|Redo) / })).toHaveCount(0);
  await expect(log.getByRole('textbox')).toHaveCount(0);
  await ann.page.getByRole('button', { name: 'Layout' }).click();
  await expect(ann.page.getByRole('menuitem', { name: 'Save as a new view …' })).toBeVisible();
  await expect(ann.page.getByRole('menuitem', { name: /default of this source/ })).toHaveCount(0);
  await ann.page.keyboard.press('Escape');

  // When the proxy's session ends, the page says how to continue, and nothing is lost.
  await ann.click(CHAIRS);
  await ann.page.context().setExtraHTTPHeaders({});
  await ann.page.keyboard.type('+5%');
  await ann.page.keyboard.press('Enter');
  await expect(ann.page.getByText(/not signed in any more. Reload the page/).first()).toBeVisible();
  await ann.page.reload();
  await expect(ann.page.getByRole('heading', { name: 'You are not signed in' })).toBeVisible();
  await expect(ann.page.locator('body')).toContainText(
    'Nobody is signed in: the header x-forwarded-user is missing',
  );
  await ann.page.context().setExtraHTTPHeaders({
    'X-Forwarded-User': 'ann',
    'X-Forwarded-Groups': 'planners',
  });
  await ann.page.getByRole('link', { name: 'Try again' }).click();
  await ann.drawn();

  // The other pages, for each person.
  for (const [{ page }, mayPlan, mayAdminister] of [
    [rita, false, false],
    [ann, true, false],
    [eve, true, true],
  ] as const) {
    await visit(page, '/');
    await expect(page.getByRole('heading', { name: 'Sources' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Register a table' })).toHaveCount(
      mayAdminister ? 1 : 0,
    );

    await visit(page, '/sources/new');
    await expect(
      page.getByRole('heading', {
        name: mayAdminister ? 'Choose a table' : 'Only admins register tables',
      }),
    ).toBeVisible();

    await visit(page, '/sources/1');
    const role = page.getByLabel('Role of Sales');
    await (mayAdminister ? expect(role).toBeEnabled() : expect(role).toBeDisabled());
    await expect(page.getByRole('button', { name: /^Move Sales/ })).toHaveCount(
      mayAdminister ? 1 : 0,
    );
    await expect(page.getByRole('button', { name: 'Suggest roles' })).toHaveCount(
      mayAdminister ? 1 : 0,
    );
    await expect(page.getByRole('button', { name: 'Actions for the source' })).toHaveCount(
      mayAdminister ? 1 : 0,
    );
    await page.getByRole('tab', { name: /Generated SQL/ }).click();
    await expect(page.getByRole('tab', { name: 'Scale' })).toBeVisible();
    await expect(page.getByRole('button', { name: /^Generate/ })).toHaveCount(
      mayAdminister ? 1 : 0,
    );
    await page.getByRole('tab', { name: /Versions/ }).click();
    await expect(page.getByRole('button', { name: 'New version' })).toHaveCount(mayPlan ? 1 : 0);
    await page
      .getByRole('button', { name: /^Actions for / })
      .last()
      .click();
    await expect(page.getByRole('menuitem', { name: 'Baseline' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'Close version', exact: true })).toHaveCount(
      mayPlan ? 1 : 0,
    );
    await expect(page.getByRole('menuitem', { name: /^Delete/ })).toHaveCount(
      mayAdminister ? 1 : 0,
    );

    await visit(page, '/versions/1/baseline');
    await expect(page.getByRole('heading', { name: 'Segments' })).toBeVisible();
    await expect(page.getByRole('form', { name: 'Load a segment' })).toHaveCount(mayPlan ? 1 : 0);
    await expect(page.getByRole('button', { name: 'Clear the baseline' })).toHaveCount(
      mayPlan ? 1 : 0,
    );
    await expect(page.getByRole('button', { name: /^Undo baseline/ })).toHaveCount(mayPlan ? 1 : 0);
  }

  await eve.page.goto('/versions/1');
  await eve.drawn();
  await eve.page.getByRole('button', { name: 'Locks' }).click();
  await expect(eve.page.getByRole('button', { name: 'Lock rows …' })).toBeVisible();
});
