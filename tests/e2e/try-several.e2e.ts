import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import { planTable } from '../support/planned-table';
import type { Service } from '../support/service';
import { arrange, PivotPage } from './pivot-page';

/** Several changes are tried together: the list stays while the planner looks around. */

const ROWS = `
  CREATE TABLE public.several (name text, side text, amount numeric(12,0), pieces integer);
  INSERT INTO public.several VALUES ('desk', 'a', 100, 4), ('desk', 'b', 50, 2), ('lamp', 'a', 10, 2)`;
const COLUMNS = { name: 'dimension', side: 'dimension', amount: 'value', pieces: 'units' } as const;

const at = (name: string) => ({ row: [name], column: ['amount'] });
const DESK = at('desk');
const LAMP = at('lamp');

async function open(page: Page, service: Service, moreRows = '') {
  await service.query(ROWS + moreRows);
  const { sourceId, versionId, table } = await planTable(service, 'several', COLUMNS);
  const default_layout = { group_by: ['name'], split_by: [], columns: ['amount', 'pieces'] };
  await service.api.patch(`/sources/${sourceId}`, { default_layout });
  const pivot = new PivotPage(page);
  const version = `/versions/${versionId}`;
  const tried = page.getByRole('region', { name: 'Tried', exact: true });
  const lines = tried.getByTestId('tried-lines').getByRole('listitem');
  return {
    pivot,
    version,
    tried,
    lines,
    /** Opens the pivot of the version. */
    show: () => pivot.open(versionId),
    /** Types an amount into a cell and tries it. */
    async tryIn(cell: { row: string[]; column: string[] }, text: string, count: number) {
      await pivot.click(cell);
      await page.keyboard.type(text);
      await page.keyboard.press('Shift+Enter');
      await expect(lines).toHaveCount(count);
    },
    /** Returns the stored amounts by name. */
    async stored() {
      const rows = await service.query(
        `SELECT name, sum(amount)::int AS amount FROM ${table} GROUP BY name ORDER BY name`,
      );
      return Object.fromEntries(rows.map(({ name, amount }) => [name, amount]));
    },
    /** Returns the parameters of the entries after the baseline, oldest first. */
    async entries() {
      const rows = await service.query(
        `SELECT slice, params FROM pf.log WHERE operation <> 'baseline' ORDER BY id`,
      );
      return rows.map(({ slice, params }) => ({ slice, params }));
    },
    post: async (path: string, body: object) => {
      const answer = await service.api.post(`${version}${path}`, { ...body, pf_user: 'eve' });
      expect(answer.status).toBeLessThan(300);
      return answer.body as { id: number };
    },
  };
}

test('two changes are tried together, stay while one looks around, and are written in order', async ({
  page,
  service,
}) => {
  const { pivot, tried, lines, show, tryIn, stored, entries } = await open(page, service);
  await show();
  await tryIn(DESK, '200', 1);
  await expect.poll(() => pivot.text(DESK)).toBe('200');

  // A click elsewhere does not end it.
  await pivot.click(LAMP);
  await expect(lines).toHaveCount(1);
  expect(await pivot.text(DESK)).toBe('200');

  // An amount that is typed meanwhile starts from the tried numbers. Enter adds it to the list.
  await pivot.click(DESK);
  await page.keyboard.type('+10%');
  await expect(page.locator('#cell-meaning')).toContainText('200 → 220');
  await page.keyboard.press('Enter');
  await expect(lines).toHaveCount(2);
  await expect(page.getByText(/^Added to the changes you are trying/)).toBeVisible();
  await expect(lines).toHaveText([/^Scale amount → 200: 2 new rows/, /^Scale \+10 % amount: /]);
  await expect(tried.getByTestId('tried-share')).toHaveText([
    '+50 amount (71.4 % of the difference)',
    '+20 amount (28.6 % of the difference)',
  ]);
  await expect(tried.getByTestId('tried-together')).toContainText('+70');
  await expect.poll(() => pivot.text(DESK)).toBe('220');

  // A filter and another arrangement show the list too, with marks of their own.
  await arrange(page, { group_by: ['side'] });
  await expect.poll(() => pivot.text({ row: ['a'], column: ['amount'] })).toBe('156');
  await expect(pivot.grid.locator('td.pf-tried')).toHaveCount(3);
  await arrange(page, { filter: [['side', '==', 'b']] });
  await expect.poll(() => pivot.text({ row: [], column: ['amount'] })).toBe('74');
  await expect(lines).toHaveCount(2);
  await arrange(page, { group_by: ['name'], filter: [] });
  await expect.poll(() => pivot.text(DESK)).toBe('220');

  // The order counts: the total is reached after the percentage.
  await lines
    .nth(1)
    .getByRole('button', { name: /^Move up/ })
    .focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(lines.first()).toContainText('+10 % amount');
  await expect.poll(() => pivot.text(DESK)).toBe('200');
  await expect(lines.first().getByRole('button', { name: /^Move down/ })).toBeFocused();
  await expect(tried.getByTestId('tried-share')).toHaveText([
    '+15 amount (30 % of the difference)',
    '+35 amount (70 % of the difference)',
  ]);
  expect(await entries()).toEqual([]);
  expect(await stored()).toEqual({ desk: 150, lamp: 10 });

  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Kept: 2 changes saved as 4 new rows/)).toBeVisible();
  await expect(tried).toHaveCount(0);
  expect(await entries()).toMatchObject([
    { slice: { name: 'desk' }, params: { value_pct: 10 } },
    { slice: { name: 'desk' }, params: { value_total: 200 } },
  ]);
  expect(await stored()).toEqual({ desk: 200, lamp: 10 });
  await expect.poll(() => pivot.text(DESK)).toBe('200');

  // Each is undone by itself.
  await page.keyboard.press('Control+z');
  await expect.poll(stored).toEqual({ desk: 165, lamp: 10 });
  await expect.poll(() => pivot.text(DESK)).toBe('165');
  await page.keyboard.press('Control+z');
  await expect.poll(stored).toEqual({ desk: 150, lamp: 10 });
  await expect.poll(() => pivot.text(DESK)).toBe('150');
});

test('a change is taken out of the list, and a discarded list comes back', async ({
  page,
  service,
}) => {
  const { pivot, tried, lines, show, tryIn, stored, entries } = await open(page, service);
  await show();
  await tryIn(DESK, '+15', 1);
  await tryIn(LAMP, '+5', 2);

  // A block is written at once, not tried.
  await pivot.click(DESK);
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByTestId('marked')).toContainText('2 cells');
  await page.keyboard.press('Control+d');
  await expect(page.getByTestId('marked')).toContainText('A change is being tried.');
  expect(await entries()).toEqual([]);

  // A recode from the form moves what the changes before it have left.
  await pivot.click(DESK);
  await (await pivot.newValue('name')).fill('sofa');
  await page.keyboard.press('Tab');
  // A key that is pressed twice adds it once.
  await page.keyboard.press('Control+Shift+Enter');
  await page.keyboard.press('Control+Shift+Enter');
  await expect(lines).toHaveCount(3);
  await expect(lines.nth(2)).toContainText('165 amount moved');
  await expect.poll(() => pivot.text(at('sofa'))).toBe('165');
  await expect(pivot.panel.getByLabel('New name', { exact: true })).toHaveValue('');

  await lines
    .nth(0)
    .getByRole('button', { name: /^Take out/ })
    .focus();
  await page.keyboard.press('Delete');
  // A move of the line that is being taken out changes nothing.
  await page.keyboard.press('Alt+ArrowDown');
  await expect(lines).toHaveCount(2);
  await expect(lines.nth(0).getByRole('button', { name: /^Take out/ })).toBeFocused();
  await expect.poll(() => pivot.text(at('sofa'))).toBe('150');
  await expect.poll(() => pivot.text(LAMP)).toBe('15');

  await tried.getByRole('button', { name: 'Discard all' }).click();
  await expect(tried).toHaveCount(0);
  await expect.poll(() => pivot.text(LAMP)).toBe('10');
  await page.getByText(/^Discarded: 2 tried changes/).waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(lines).toHaveCount(2);
  await expect.poll(() => pivot.text(at('sofa'))).toBe('150');

  await tried.getByRole('button', { name: 'Keep all' }).click();
  await expect(page.getByText(/^Kept: 2 changes saved as /)).toBeVisible();
  expect(await stored()).toEqual({ desk: 0, lamp: 15, sofa: 150 });
  expect((await entries()).length).toBe(2);
});

test('another person’s write and lock recalculate the list, and a refused change says why', async ({
  page,
  service,
}) => {
  const { pivot, tried, lines, show, tryIn, stored, entries, post } = await open(page, service);
  await show();
  await tryIn(LAMP, '+10%', 1);
  await tryIn(DESK, '+10%', 2);
  await post('/scale', { slice: { name: 'desk' }, value_incr: 50 });
  await expect(page.getByText(/^Someone else has changed the plan/)).toBeVisible();
  await expect.poll(() => pivot.text(DESK)).toBe('220');
  await expect(tried.getByTestId('tried-totals').nth(1)).toContainText('200 → 220');

  // The refused change is left out, and the other one still shows.
  const { id } = await post('/locks', { slice: { name: 'lamp' } });
  await expect(page.getByText(/^The locks have changed/)).toBeVisible();
  await expect(lines.first().getByTestId('tried-refused')).toContainText(/^Left out: .*locked/);
  await expect.poll(() => pivot.text(LAMP)).toBe('10');
  await expect.poll(() => pivot.text(DESK)).toBe('220');
  await tried.getByRole('button', { name: 'Keep all' }).click();
  await expect(page.getByText(/1 refused change not saved/)).toBeVisible();
  expect(await stored()).toEqual({ desk: 220, lamp: 10 });
  expect((await entries()).length).toBe(2);
  await expect(lines).toHaveCount(1);
  await expect(tried.getByRole('button', { name: 'Keep' })).toBeDisabled();

  await service.api.del(`/locks/${id}`);
  await expect.poll(() => pivot.text(LAMP)).toBe('11');
  await tried.getByRole('button', { name: 'Keep' }).click();
  await expect(page.getByText(/^Scaled: \+1 amount, saved as 1 new row/)).toBeVisible();
  await expect(tried).toHaveCount(0);
  expect(await stored()).toEqual({ desk: 220, lamp: 11 });
});

test('if one of several changes fails, the page names those that were written and keeps the others in the list', async ({
  page,
  service,
}) => {
  const { pivot, tried, lines, show, tryIn, stored, post } = await open(page, service);
  await pivot.missEvents();
  await show();
  await tryIn(DESK, '+15', 1);
  await tryIn(LAMP, '+5', 2);
  // A lock that the page does not know yet.
  await post('/locks', { slice: { name: 'lamp' } });
  await tried.getByRole('button', { name: 'Keep all' }).click();
  await expect(
    page.getByText(/^1 change saved as 2 new rows\. The rest is still being tried\. .*locked/),
  ).toBeVisible();
  await expect(lines).toHaveCount(1);
  await expect(lines.getByTestId('tried-refused')).toContainText(/^Left out: .*locked/);
  expect(await stored()).toEqual({ desk: 165, lamp: 10 });
  await expect.poll(() => pivot.text(DESK)).toBe('165');
  await expect.poll(() => pivot.text(LAMP)).toBe('10');
});

test('an earlier state of the plan is shown without the list, which comes back', async ({
  page,
  service,
}) => {
  const { pivot, tried, lines, show, tryIn, post } = await open(page, service);
  await show();
  await post('/scale', { slice: { name: 'desk' }, value_incr: 50 });
  await expect.poll(() => pivot.text(DESK)).toBe('200');
  await tryIn(DESK, '+10%', 1);
  await expect.poll(() => pivot.text(DESK)).toBe('220');
  const log = await pivot.log();
  await log
    .getByRole('button', { name: /^Show the plan as it was/ })
    .last()
    .click();
  await expect.poll(() => pivot.text(DESK)).toBe('150');
  await expect(lines).toHaveCount(1);
  await expect(tried).toContainText('An earlier state of the plan is shown');
  await page.getByRole('button', { name: 'Back to now' }).first().click();
  await expect.poll(() => pivot.text(DESK)).toBe('220');
});

test('a form returns to the grid once its change is tried, so that Esc discards it', async ({
  page,
  service,
}) => {
  const { pivot, tried, lines, show, entries } = await open(page, service);
  await show();
  await pivot.click(DESK);
  await (await pivot.newValue('name')).fill('sofa');
  await page.keyboard.press('Control+Shift+Enter');
  await expect(lines).toHaveCount(1);
  await expect(pivot.grid).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(tried).toHaveCount(0);
  await expect.poll(() => pivot.text(DESK)).toBe('150');
  // The form has its contents again.
  await expect(pivot.panel.getByLabel('New name', { exact: true })).toHaveValue('sofa');
  expect(await entries()).toEqual([]);
});

test('Esc discards a change from the moment the page lists it', async ({ page, service }) => {
  const { pivot, tried, show, entries } = await open(page, service);
  await show();
  await pivot.click(DESK);
  await (await pivot.newValue('name')).fill('sofa');
  // Presses Esc before the page does anything else after it has listed the change.
  const listed = page.evaluate(
    () =>
      new Promise<void>((done) => {
        const observer = new MutationObserver(() => {
          if (!document.querySelector('section.trial')) return;
          observer.disconnect();
          setTimeout(() => {
            const init = { key: 'Escape', bubbles: true, cancelable: true };
            document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init));
            done();
          });
        });
        observer.observe(document.body, { childList: true, subtree: true });
      }),
  );
  await page.keyboard.press('Control+Shift+Enter');
  await listed;
  await expect(tried).toHaveCount(0);
  await expect.poll(() => pivot.text(DESK)).toBe('150');
  expect(await entries()).toEqual([]);
});

test('an amount is tried in equal parts where the rows of a cell cancel each other out', async ({
  page,
  service,
}) => {
  const FAN = at('fan');
  const { pivot, lines, show, stored } = await open(
    page,
    service,
    `, ('fan', 'a', 10000, 1), ('fan', 'b', -9999, 1)`,
  );
  await show();
  await pivot.click(FAN);
  await page.keyboard.type('+10');
  await expect(page.getByTestId('caution')).toBeVisible();
  await page.keyboard.press('Shift+Enter');
  await page.getByRole('button', { name: 'Spread equally' }).click();
  await expect(lines).toHaveCount(1);
  await expect.poll(() => pivot.text(FAN)).toBe('11');
  await arrange(page, { group_by: ['side'] });
  // 110 + 10,000 and 50 - 9,999, with 5 each.
  await expect.poll(() => pivot.text({ row: ['a'], column: ['amount'] })).toBe('10,115');
  await expect.poll(() => pivot.text({ row: ['b'], column: ['amount'] })).toBe('-9,944');
  expect(await stored()).toMatchObject({ fan: 1 });
});

test('two alternatives have a name and a total, one key switches them, and one is kept', async ({
  page,
  service,
}) => {
  const { pivot, tried, lines, show, tryIn, stored } = await open(page, service);
  await show();
  await tryIn(DESK, '200', 1);
  await tried.getByRole('button', { name: 'Try an alternative' }).click();
  const alternatives = tried.getByRole('group', { name: 'Alternatives' }).getByRole('button');
  await expect(alternatives).toHaveText([/^A\s*\+50$/, /^B\s*–$/]);
  await expect(lines).toHaveCount(0);
  // The alternative starts from the saved plan, and a typed amount is tried, not written.
  await expect.poll(() => pivot.text(DESK)).toBe('150');
  await pivot.click(DESK);
  await page.keyboard.type('120');
  await page.keyboard.press('Enter');
  await expect(lines).toHaveCount(1);
  await tryIn(LAMP, '40', 2);
  await expect(alternatives).toHaveText([/^A\s*\+50$/, /^B\s*0$/]);
  await tried.getByLabel('Name of this alternative').fill('Careful');
  await expect(alternatives.nth(1)).toHaveText(/^Careful\s*0$/);
  await expect(alternatives.nth(1)).toHaveAttribute('aria-pressed', 'true');

  await pivot.click(LAMP);
  await page.keyboard.press('x');
  await expect(alternatives.nth(0)).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(() => pivot.text(DESK)).toBe('200');
  await expect.poll(() => pivot.text(LAMP)).toBe('10');
  await expect(lines).toHaveCount(1);
  await page.keyboard.press('x');
  await expect.poll(() => pivot.text(DESK)).toBe('120');
  await expect.poll(() => pivot.text(LAMP)).toBe('40');

  // Esc discards the alternative on screen, and shows the other one.
  await pivot.click(LAMP);
  await page.keyboard.press('Escape');
  await expect(alternatives).toHaveCount(0);
  await expect.poll(() => pivot.text(DESK)).toBe('200');
  await page
    .getByText('Discarded: 2 tried changes of Careful.')
    .locator('xpath=ancestor::li')
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(alternatives).toHaveText([/^A\s*\+50$/, /^Careful\s*0$/]);
  await expect(lines).toHaveCount(2);
  expect(await stored()).toEqual({ desk: 150, lamp: 10 });

  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Kept: 2 changes saved/)).toBeVisible();
  await expect(page.getByText('Discarded as alternatives: A.')).toBeVisible();
  await expect(tried).toHaveCount(0);
  expect(await stored()).toEqual({ desk: 120, lamp: 40 });
});

test('the totals of alternatives follow changes of others, and a refused list says so', async ({
  page,
  service,
}) => {
  const { pivot, tried, lines, show, tryIn, post } = await open(page, service);
  await show();
  await tryIn(DESK, '+10%', 1);
  await tried.getByRole('button', { name: 'Try an alternative' }).click();
  await tryIn(LAMP, '40', 1);
  const alternatives = tried.getByRole('group', { name: 'Alternatives' }).getByRole('button');
  await expect(alternatives).toHaveText([/^A\s*\+15$/, /^B\s*\+30$/]);
  await post('/scale', { slice: { name: 'desk' }, value_incr: 150 });
  await expect(alternatives).toHaveText([/^A\s*\+30$/, /^B\s*\+30$/]);
  await post('/locks', { slice: { name: 'desk' } });
  await alternatives.nth(0).click();
  await expect(lines).toHaveCount(1);
  await expect(tried.getByTestId('tried-refused')).toBeVisible();
  await expect.poll(() => pivot.text(LAMP)).toBe('10');
});
