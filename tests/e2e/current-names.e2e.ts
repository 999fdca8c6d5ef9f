import { arrange, PivotPage } from './pivot-page';
import { violations } from '../support/axe';
import { expect, test, visit } from '../support/e2e';

/** Names that stay while the version behind them changes. */

test('a name is set, opened, moved to a replay, and an open page by name says so', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.keepUser('Ann Planner');
  await visit(page, '/sources/1?tab=versions');
  await page.getByRole('button', { name: 'Actions for Plan 2027', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Current names …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Current names' });
  await dialog.getByRole('textbox', { name: 'Another name for Plan 2027' }).fill('Budget & more');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('stands for Plan 2027')).toBeVisible();
  await dialog.getByText('History').click();
  await expect(dialog.getByRole('listitem').getByRole('listitem')).toContainText(
    'Ann Planner: set to Plan 2027',
  );
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  // The home page links the name; the page behind it keeps its arrangement in its address.
  await visit(page, '/');
  await page.getByRole('link', { name: 'Budget & more' }).click();
  await expect(page).toHaveURL(/\/plans\/1\/Budget%20%26%20more$/);
  await pivot.drawn();
  await arrange(page, { group_by: ['Segment'] });
  await expect(page).toHaveURL(/\/plans\/1\/Budget%20%26%20more\?.*Segment/);
  const consumer = { row: ['Consumer'], column: ['2028', 'Sales'] };
  await pivot.click(consumer);
  const before = await pivot.number(consumer);

  const asked = { name: 'On new data', pf_user: 'bea' };
  const { version } = (await service.api.post('/versions/1/replay', asked)).body;
  const scale = { slice: { Segment: 'Consumer' }, pct: 100, pf_user: 'bea' };
  await service.api.post(`/versions/${version.id}/scale`, scale);
  await expect(page.getByText('no longer stands for this version')).toBeHidden();
  const move = { name: 'Budget & more', version_id: version.id, pf_user: 'bea' };
  await service.api.put('/sources/1/current', move);
  await expect(
    page.getByText('“Budget & more” no longer stands for this version. The page still shows Plan'),
  ).toBeVisible();
  expect(await pivot.number(consumer)).toBeCloseTo(before, 2);
  await page.getByRole('button', { name: 'Open “Budget & more”' }).click();
  await expect(page.getByRole('heading', { name: 'On new data', exact: true })).toBeVisible();
  await pivot.drawn();
  await expect.poll(() => pivot.number(consumer)).toBeCloseTo(2 * before, 1);
  await expect(page).toHaveURL(/\/plans\/1\/Budget%20%26%20more\?.*Segment/);
  await expect(page.getByText('no longer stands for this version')).toBeHidden();

  // A link by name survives a reload too.
  await page.reload();
  await pivot.drawn();
  expect(await pivot.number(consumer)).toBeCloseTo(2 * before, 1);
});

test('the results of a replay offer to move the names of its original', async ({
  page,
  service,
}) => {
  await new PivotPage(page).keepUser('Ann Planner');
  await service.api.put('/sources/1/current', { name: 'plan', version_id: 1, pf_user: 'bea' });
  const asked = { name: 'On new data', pf_user: 'bea' };
  const { version } = (await service.api.post('/versions/1/replay', asked)).body;
  await visit(page, `/versions/${version.id}/replayed`);
  await page.getByRole('button', { name: 'Move “plan” here' }).click();
  await expect(page.getByText('“plan” stands for On new data now.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Move “plan” here' })).toBeHidden();
  expect((await service.api.get('/current/plan?source=1')).body.id).toBe(version.id);
});

test('an admin publishes a version that follows its name, and withdraws it', async ({
  page,
  service,
}) => {
  await new PivotPage(page).keepUser('Ann Planner');
  await service.api.put('/sources/1/current', { name: 'budget', version_id: 1, pf_user: 'bea' });
  await visit(page, '/sources/1?tab=versions');
  await page.getByRole('button', { name: 'Actions for Plan 2027', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Publish …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish Plan 2027' });
  // The name of the version is offered, and followed.
  await expect(dialog.getByRole('textbox', { name: 'Name of the view' })).toHaveValue('budget');
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  const shown = dialog.getByRole('region', { name: 'Published as budget' });
  await expect(shown).toContainText('"pf_plans"."budget" and "pf_plans"."budget changes"');
  await expect(shown).toContainText('follow “budget”');
  await expect(shown).toContainText('SELECT * FROM "pf_plans"."budget"');
  // It has a view now, so no second one is offered.
  await expect(dialog.getByRole('textbox', { name: 'Name of the view' })).toHaveValue('');
  await expect(dialog.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled();
  expect(await violations(page)).toEqual([]);
  const [sums] = await service.query(
    `SELECT (SELECT sum("Sales") FROM pf_plans.budget) AS view, sum("Sales") AS table
     FROM pf.fc_superstore_1 WHERE pf_iter <> 'reference'`,
  );
  expect(sums.view).toBe(sums.table);
  await shown.getByRole('button', { name: 'Withdraw budget' }).click();
  await expect(shown).toBeHidden();
  expect((await service.api.get('/sources/1/published')).body).toEqual([]);
});
