import { startServer } from '../../src/demo/server';
import { WCAG, violations } from '../support/axe';
import { expect, test } from '../support/e2e';
import { openAs, PivotPage, type CellName } from './pivot-page';

/** Comments of two people, each on their own server. */

const CHAIRS: CellName = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const TABLES: CellName = { row: ['Furniture', 'Tables'], column: ['2028', 'Sales'] };
const FURNITURE: CellName = { row: ['Furniture'], column: ['2028', 'Sales'] };

test('two people comment on a number, which is marked for both until the thread is resolved', async ({
  browser,
  page,
  service,
}) => {
  const second = await startServer({ database: service.database });
  try {
    const ann = new PivotPage(page, 'ann');
    await ann.open(1);
    const eve = await openAs(browser, second.url, 'eve');
    const marked = (of: typeof ann) => of.grid.locator('td.pf-commented');
    const comments = (of: typeof ann) =>
      of.panel.getByRole('region', { name: 'Comments', exact: true });

    // Written with the keyboard alone, on one cell.
    await ann.click(CHAIRS);
    await ann.page.keyboard.press('m');
    const field = comments(ann).getByLabel('New comment');
    await expect(field).toBeFocused();
    await ann.page.keyboard.type('Too low? @eve <b>');
    // An unsent text belongs to its cell.
    await ann.click(TABLES);
    await expect(field).toHaveValue('');
    await ann.click(CHAIRS);
    await expect(field).toHaveValue('Too low? @eve <b>');
    await field.press('Control+Enter');
    await expect(field).toHaveValue('');
    await expect(comments(ann).getByRole('article')).toContainText('Too low? @eve <b>');
    // It is about this selection, so its slice is not repeated.
    await expect(comments(ann).getByRole('article')).not.toContainText('Sub-Category');
    // Escape leads back to the grid, then closes the comments, and the selection stays.
    await field.press('Escape');
    await expect(ann.grid).toBeFocused();
    await ann.page.keyboard.press('Escape');
    await expect(comments(ann)).toHaveCount(0);
    await expect(ann.slice).toContainText('Sub-Category = Chairs');
    await ann.page.keyboard.press('m');
    await expect(field).toBeFocused();

    // The mark is on all measures of that cell, and on no other cell.
    for (const each of [ann, eve]) {
      await expect(marked(each).first()).toHaveAttribute('title', 'ann: Too low? @eve <b>');
      await expect
        .poll(() =>
          marked(each).evaluateAll((cells) => [
            ...new Set(
              cells.map((td) => td.parentElement?.querySelector('th')?.textContent?.trim()),
            ),
          ]),
        )
        .toEqual(['Chairs']);
    }
    const count = await marked(ann).count();
    await expect(marked(eve)).toHaveCount(count);

    // Eve finds it on the home page, which leads to the cell.
    await eve.page.goto('/');
    await eve.page.getByRole('link', { name: /Too low\? @eve <b>/ }).click();
    await eve.drawn();
    await expect(eve.slice).toContainText('Sub-Category = Chairs');
    await expect(eve.grid.locator('td.pf-selected')).toHaveCount(1);
    await expect(comments(eve).getByRole('article')).toContainText('Too low?');
    await expect(comments(eve).getByRole('button', { name: 'Edit this comment' })).toHaveCount(0);

    // A text that is being written survives the arrival of a reply.
    await field.fill('One more thing');
    await comments(eve).getByRole('button', { name: 'Reply', exact: true }).click();
    await eve.page.keyboard.type('No, a customer left.');
    await eve.page.keyboard.press('Control+Enter');
    const replies = comments(ann).getByRole('list', { name: 'Replies' });
    await expect(replies).toContainText('No, a customer left.');
    await expect(field).toHaveValue('One more thing');

    // The author changes it; the row above lists it as inside.
    const edit = comments(ann).getByRole('button', { name: 'Edit this comment' });
    await edit.click();
    await comments(ann).getByLabel('Text of the comment').fill('Far too low?');
    await comments(ann).getByRole('button', { name: 'Save' }).click();
    await expect(comments(eve).getByText('Far too low?')).toBeVisible();
    await expect(comments(eve).getByText(/, edited/)).toBeVisible();
    await eve.click(FURNITURE);
    const inside = comments(eve).getByRole('list', { name: 'Inside this selection' });
    await expect(inside).toContainText('Far too low?');

    // The list of the toolbar selects the cell.
    const toolbar = eve.page.getByRole('toolbar', { name: 'Pivot' });
    await toolbar.getByRole('button', { name: 'Comments' }).click();
    const list = eve.page.getByRole('dialog', { name: 'Open comments' });
    await list.getByRole('button', { name: /Far too low\?/ }).click();
    await expect(eve.slice).toContainText('Sub-Category = Chairs');

    const found = await violations(eve.page, { include: ['aside'], tags: WCAG });
    expect(found.map(({ id }) => id)).toEqual([]);

    // Resolved by one, unmarked for both; a reply opens the thread again.
    await comments(eve).getByRole('button', { name: 'Resolve' }).click();
    for (const each of [ann, eve]) await expect(marked(each)).toHaveCount(0);
    await comments(ann).getByRole('button', { name: 'Show 1 resolved thread' }).click();
    await expect(comments(ann).getByText(/^Resolved by eve/)).toBeVisible();
    await comments(ann).getByRole('button', { name: 'Reply', exact: true }).click();
    await ann.page.keyboard.type('Not yet.');
    await comments(ann).getByRole('button', { name: 'Reply', exact: true }).click();
    for (const each of [ann, eve]) await expect(marked(each)).toHaveCount(count);

    // Deleting an own comment can be taken back.
    const own = comments(ann).getByRole('article').filter({ hasText: 'Not yet.' });
    await own.getByRole('button', { name: 'Delete this comment' }).click();
    await expect(own).toHaveCount(0);
    await ann.page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(comments(eve).getByText('Not yet.')).toBeVisible();
  } finally {
    await second.stop();
  }
});

test('a comment that was missed without events is marked after the page reconnects', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.missEvents();
  await pivot.open(1);
  await expect(page.getByText('Not live')).toBeVisible();
  const slice = { 'Sub-Category': 'Chairs' };
  await service.api.post('/versions/1/comments', { slice, text: 'While away', pf_user: 'bea' });
  await page.unrouteAll();
  const marked = pivot.grid.locator('td.pf-commented');
  await expect(marked.first()).toHaveAttribute('title', 'bea: While away');

  // No cell shows the rows of this one, so its slice is selected without a cell.
  const west = { slice: { Region: 'West' }, text: 'Ready?', pf_user: 'bea' };
  await service.api.post('/versions/1/comments', west);
  await page
    .getByRole('toolbar', { name: 'Pivot' })
    .getByRole('button', { name: 'Comments' })
    .click();
  const list = page.getByRole('dialog', { name: 'Open comments' });
  await list.getByRole('button', { name: /Ready\?/ }).click();
  await expect(pivot.slice).toHaveText('Region = West');
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(0);
  await expect(pivot.panel.getByRole('article')).toHaveText(/Ready\?/);
});

test('a mention is chosen from the people of the version', async ({ page, service }) => {
  const slice = { 'Sub-Category': 'Chairs' };
  await service.api.post('/versions/1/scale', { pf_user: 'Ann Lee', slice, pct: 10 });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await page.keyboard.press('m');
  const field = pivot.panel.getByLabel('New comment');
  await expect(field).toBeFocused();
  await page.keyboard.type('Ask @le');
  const people = pivot.panel.getByRole('group', { name: 'People to mention' });
  await expect(people.getByRole('button')).toHaveText(['Ann Lee']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('Ask @"Ann Lee" ');
  await expect(field).toBeFocused();
  await expect(people).toHaveCount(0);
  await page.keyboard.type('why');
  await page.keyboard.press('Control+Enter');
  await expect(pivot.panel.getByRole('article')).toContainText('Ask @"Ann Lee" why');
  const { body } = await service.api.get('/comments/mentions?user=Ann%20Lee');
  expect(body).toHaveLength(1);
});
