import { expect, test, visit } from '../support/e2e';
import { PivotPage } from './pivot-page';

test('the panel lists the latest changes while nothing is selected', async ({ page, service }) => {
  const slice = { Category: 'Furniture' };
  for (const [i, pf_user] of ['bea', 'carl', 'dora', 'emil', 'finn', 'gita'].entries())
    await service.api.post('/versions/1/scale', { slice, value_incr: 100 + i, pf_user });
  const note = 'Kansas belongs to the south';
  const recode = { slice: { State: 'Kansas' }, set: { Region: 'South' }, pf_user: 'hans', note };
  await service.api.post('/versions/1/recode', recode);
  const pivot = new PivotPage(page);
  await pivot.open(1);

  const latest = pivot.panel.getByRole('region', { name: 'Latest changes' });
  const entries = latest.getByRole('listitem');
  await expect(entries).toHaveCount(5);
  await expect(entries.nth(0)).toContainText(/recode.*Region → South.*0.*State = Kansas.*hans/s);
  await expect(entries.nth(0)).toContainText(note);
  await expect(entries.nth(1)).toContainText(/scale.*\+105.*Category = Furniture.*gita/s);
  await expect(entries.nth(4)).toContainText(/\+102.*dora/s);

  // A click shows the rows of an entry alone, and another click shows all rows again.
  const alone = page.getByText(/^Showing only the rows of entry/);
  const ofGita = entries.nth(1).getByRole('button');
  await ofGita.click();
  await expect(alone).toBeVisible();
  await expect(ofGita).toHaveAttribute('aria-pressed', 'true');
  await ofGita.click();
  await expect(alone).toHaveCount(0);

  // An entry that somebody undoes leaves the list.
  const [newest] = await service.query<{ id: number }>(`SELECT max(id)::int AS id FROM pf.log`);
  await service.api.del(`/log/${newest?.id}`);
  await expect(entries.nth(0)).toContainText('gita');
  await expect(entries.nth(4)).toContainText('carl');

  await latest.getByRole('button', { name: 'Show all 7 in the log' }).click();
  await expect(page.getByRole('region', { name: 'Log', exact: true })).toBeVisible();
  await pivot.click({ row: ['Furniture'], column: ['2028', 'Sales'] });
  await expect(latest).toHaveCount(0);
});

test('an earlier state of the plan has its own latest changes and totals of the log', async ({
  page,
  service,
}) => {
  const slice = { Category: 'Furniture' };
  for (const pf_user of ['bea', 'carl'])
    await service.api.post('/versions/1/scale', { slice, value_incr: 100, pf_user });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const entries = pivot.panel.getByRole('region', { name: 'Latest changes' }).getByRole('listitem');
  await expect(entries.nth(0)).toContainText('carl');
  const log = await pivot.log();
  const total = log.locator('tfoot tr').first();
  const now = await total.innerText();
  await log
    .getByRole('row', { name: /bea/ })
    .getByRole('button', { name: /^Show the plan as it was/ })
    .click();
  await expect(entries.nth(0)).toContainText('bea');
  await expect.poll(() => total.innerText()).not.toBe(now);
  const shown = (text: string) => Number(/[\d,]+\.\d\d/.exec(text)?.[0].replaceAll(',', ''));
  expect(shown(now) - shown(await total.innerText())).toBeCloseTo(100, 2);
});

test('the panel shows what waits for the user, and what others changed since the last visit', async ({
  page,
  service,
}) => {
  const slice = { Category: 'Furniture' };
  const pivot = new PivotPage(page, 'Ann');
  await pivot.open(1);
  const changes = (name: string) => pivot.panel.getByRole('region', { name, exact: true });
  const waiting = pivot.panel.getByRole('region', { name: 'Waiting for me' });
  await expect(changes('Latest changes').getByRole('listitem')).toHaveCount(1);
  await expect(waiting).toHaveCount(0);
  await visit(page, '/');

  for (const pf_user of ['Ann', 'bea', 'carl'])
    await service.api.post('/versions/1/scale', { slice, value_incr: 100, pf_user });
  const text = 'Is this enough, @ann?';
  await service.api.post('/versions/1/comments', { slice, text, pf_user: 'bea' });
  const asked = { slice, reviewers: ['Ann'], pf_user: 'carl' };
  const review = (await service.api.post('/versions/1/reviews', asked)).body;
  await service.api.post(`/reviews/${review.id}/submit`, { pf_user: 'carl' });

  await pivot.open(1);
  const since = changes('2 changes since my last visit');
  await expect(since.getByRole('listitem')).toHaveText([/carl/, /bea/]);
  await expect(waiting.getByRole('article')).toContainText('Submitted');
  await waiting.getByRole('button', { name: /Is this enough/ }).click();
  await expect(pivot.panel.getByTestId('slice')).toHaveText('Category = Furniture');
  await pivot.panel.getByRole('button', { name: 'Clear', exact: true }).click();

  await waiting.getByRole('button', { name: 'Approve …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(waiting.getByRole('article')).toHaveCount(0);
  await visit(page, '/');
  await pivot.open(1);
  await expect(changes('Latest changes').getByRole('listitem')).toHaveCount(4);
});
