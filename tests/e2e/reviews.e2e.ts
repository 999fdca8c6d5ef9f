import type { Browser } from '@playwright/test';
import { WCAG, violations } from '../support/axe';
import { test, expect } from '../support/e2e';
import { PivotPage, type CellName } from './pivot-page';

/** Sign-off: an owner, a reviewer and another planner, signed in by a proxy. */

test.use({ env: { PF_USER_HEADER: 'X-Forwarded-User' } });

const CHAIRS: CellName = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const FURNITURE: CellName = { row: ['Furniture'] };

/** Opens the plan as somebody whom the proxy has signed in. */
async function openSignedIn(browser: Browser, baseURL: string, name: string): Promise<PivotPage> {
  const context = await browser.newContext({
    baseURL,
    extraHTTPHeaders: { 'X-Forwarded-User': name },
  });
  const pivot = new PivotPage(await context.newPage());
  await pivot.page.goto('/versions/1');
  await pivot.drawn();
  return pivot;
}

test('a slice is submitted, returned, approved and reopened, and locked for the others meanwhile', async ({
  browser,
  service,
}) => {
  // Three people follow each other's steps.
  const ann = await openSignedIn(browser, service.url, 'ann');
  const bea = await openSignedIn(browser, service.url, 'bea');
  const cem = await openSignedIn(browser, service.url, 'cem');
  const all = [ann, bea, cem];
  const review = (of: PivotPage) =>
    of.panel.getByRole('article', { name: 'Review of Category = Furniture' });
  const edges = (of: PivotPage, state: string) =>
    of.grid.locator(`tbody th[data-review="${state}"]`);
  /** Takes a step from the panel, with a comment. */
  const step = async (of: PivotPage, name: string, comment = '') => {
    await review(of)
      .getByRole('button', { name: `${name} …` })
      .click();
    const dialog = of.page.getByRole('dialog', { name: `${name}: Category = Furniture` });
    await dialog.getByLabel('Comment').fill(comment);
    await dialog.getByRole('button', { name, exact: true }).click();
    await expect(dialog).toHaveCount(0);
  };
  /** Types into a cell that is locked for this person. */
  const refused = async (of: PivotPage, reason: string) => {
    await of.click(CHAIRS);
    await of.page.keyboard.type('5');
    await expect(of.page.locator('#cell-meaning')).toHaveText(reason);
    await of.page.keyboard.press('Escape');
  };

  // Made of the selection.
  await ann.click(FURNITURE);
  await ann.page.getByRole('button', { name: 'Reviews' }).click();
  await ann.page.getByRole('button', { name: 'Make a review …' }).click();
  const making = ann.page.getByRole('dialog', { name: 'Make a review' });
  await expect(making.getByLabel('Rows')).toHaveValue('selection');
  await making.getByRole('button', { name: 'Make the review' }).click();
  await expect(making.getByText('Enter the name of at least one reviewer.')).toBeVisible();
  await making.getByRole('textbox', { name: 'Reviewers' }).fill('ann');
  await making.getByRole('button', { name: 'Make the review' }).click();
  await expect(making.getByText(/^reviewers: ann owns the review/)).toBeVisible();
  // Somebody who has not worked in this version is asked about.
  await making.getByRole('textbox', { name: 'Reviewers' }).fill('bea');
  await making.getByRole('button', { name: 'Make the review' }).click();
  await expect(making.getByRole('alert')).toHaveText(
    'Nobody named “bea” has worked in this version. Choose “Make the review” again to ask them anyway.',
  );
  await making.getByLabel('Due').fill('2028-01-31');
  await making.getByRole('button', { name: 'Make the review' }).click();
  await expect(making).toHaveCount(0);

  // The row and those below it have the edge, for everybody.
  for (const each of all) {
    await expect
      .poll(() =>
        edges(each, 'open').evaluateAll((rows) => rows.map((th) => th.textContent?.trim())),
      )
      .toEqual(['Furniture', 'Bookcases', 'Chairs', 'Furnishings', 'Tables']);
  }

  // Submitted: locked for all but the reviewer.
  await step(ann, 'Submit', 'Ready, see Chairs');
  for (const each of all) await expect(edges(each, 'submitted')).toHaveCount(5);
  await expect(cem.grid.locator('td.pf-locked').first()).toHaveAttribute(
    'title',
    /Review of ann: submitted to bea/,
  );
  await refused(cem, 'Review of ann: submitted to bea.');
  await refused(ann, 'Review of ann: submitted to bea.');
  await expect(bea.grid.locator('td.pf-locked')).toHaveCount(0);

  // The reviewer finds it on the home page, corrects a number and returns it.
  await bea.page.goto('/');
  const waiting = bea.page.getByRole('region', { name: 'Waiting for me' });
  await expect(waiting).toContainText('Ready, see Chairs');
  await waiting.getByRole('link', { name: /Category = Furniture/ }).click();
  await bea.drawn();
  await expect(bea.slice).toHaveText('Category = Furniture');
  await bea.click(CHAIRS);
  await bea.page.keyboard.type('80k');
  await bea.page.keyboard.press('Enter');
  for (const each of all) await expect.poll(() => each.number(CHAIRS)).toBe(80_000);
  await bea.click(FURNITURE);
  await step(bea, 'Return', 'Why are Tables so low?');
  await ann.click(FURNITURE);
  await expect(review(ann)).toContainText('Why are Tables so low?');
  await expect(review(cem).getByRole('button', { name: 'Submit …' })).toHaveCount(0);

  // Submitted again and approved: locked for the reviewer too.
  await step(ann, 'Submit');
  await bea.click(FURNITURE);
  await step(bea, 'Approve', 'Good');
  for (const each of all) await expect(edges(each, 'approved')).toHaveCount(5);
  await refused(bea, 'Review of ann: approved by bea.');
  await cem.click(FURNITURE);
  await expect(cem.apply).toBeDisabled();
  await review(cem).getByRole('button', { name: 'History' }).click();
  const history = review(cem).getByRole('list', { name: 'History' });
  await expect(history.getByRole('listitem')).toHaveText([
    /^Opened by ann/,
    /^Submitted by ann.*Ready, see Chairs/s,
    /^Returned by bea.*Why are Tables so low\?/s,
    /^Submitted by ann/,
    /^Approved by bea.*Good/s,
  ]);
  const found = await violations(cem.page, { include: ['aside'], tags: WCAG });
  expect(found.map(({ id }) => id)).toEqual([]);

  // A reopened review shows the changes since its approval.
  await bea.click(FURNITURE);
  await step(bea, 'Reopen');
  await expect(edges(cem, 'reopened')).toHaveCount(5);
  await cem.click(CHAIRS);
  await cem.page.keyboard.type('+1000');
  await cem.page.keyboard.press('Enter');
  await ann.click(FURNITURE);
  await expect(review(ann)).toContainText('Changed since the approval: 1 entry, Sales +1,000');
});
