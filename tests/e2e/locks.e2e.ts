import type { Locator } from '@playwright/test';
import { startServer } from '../../src/demo/server';
import { test, expect } from '../support/e2e';
import { openAs, PivotPage } from './pivot-page';

/** Locks, and earlier states of the plan: two people, each on their own server. */

const TABLE = 'pf.fc_superstore_1';
const BEFORE = { row: ['Furniture', 'Chairs'], column: ['2027', 'Sales'] };
const AFTER = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const TOTAL = { row: [], column: ['2028', 'Sales'] };

test('locked cells are marked for everyone at once, and cannot be changed', async ({
  browser,
  page,
  service,
}) => {
  const sales = async (where: string): Promise<number> => {
    const [row] = await service.query(
      `SELECT sum("Sales")::float8 AS sales FROM ${TABLE} WHERE ${where}`,
    );
    return row.sales;
  };
  const second = await startServer({ database: service.database });
  try {
    const eve = new PivotPage(page, 'eve');
    await eve.open(1);
    const ann = await openAs(browser, second.url, 'ann');

    await eve.click(AFTER);
    await eve.page.getByRole('button', { name: 'Locks' }).click();
    await eve.page.getByRole('button', { name: 'Lock rows …' }).click();
    const dialog = eve.page.getByRole('dialog', { name: 'Lock rows' });
    await dialog.getByLabel('Rows').selectOption('Period: Order Date');
    await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
    await expect(dialog.getByText('Enter the first day or the last day')).toBeVisible();
    await dialog.getByLabel('To', { exact: true }).fill('2027-12-31');
    await dialog.getByLabel('Note').fill('2027 is closed');
    // Changes by others do not disturb typing.
    await ann.click(AFTER);
    await ann.page.keyboard.type('+5');
    await ann.page.keyboard.press('Enter');
    await expect(eve.page.getByText(/^ann: Scale/)).toBeVisible();
    await expect(dialog.getByLabel('Note')).toHaveValue('2027 is closed');
    await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
    await expect(eve.page.getByText(/^Locked: nobody/)).toBeVisible();

    // All cells of 2027 and no others, in the rows of every level.
    const locked = ann.grid.locator('td.pf-locked');
    await expect(locked.first()).toHaveAttribute('title', 'Locked by eve: 2027 is closed');
    const cells = await ann.grid.locator('tbody td').count();
    expect(await locked.count()).toBe(cells / 4);

    // Typing into a locked cell shows the reason beside it.
    await ann.click(BEFORE);
    await expect(ann.panel.getByText('Locked by eve: 2027 is closed.').first()).toBeVisible();
    await ann.page.keyboard.type('5');
    await expect(ann.page.getByRole('status').getByText('Locked by eve')).toBeVisible();
    // The rest of the amount keeps it there: the m of 5m is not the key of the comments.
    await ann.page.keyboard.type('m');
    await expect(ann.page.getByRole('status').getByText('Locked by eve')).toBeVisible();
    await expect(ann.panel.getByText('No open comments on this selection.')).toHaveCount(0);
    await ann.page.keyboard.press('Escape');

    // A change around locked rows goes into the other rows and reaches the requested total.
    const closed = `"Order Date" <= '2027-12-31'`;
    const before = await sales(closed);
    const all = await sales('TRUE');
    await ann.click({ row: [] });
    await expect(
      ann.panel.getByText(/Order Date up to Dec 31, 2027: a scale does not change/),
    ).toBeVisible();
    await ann.type('Change', '1000');
    await ann.apply.click();
    await expect.poll(() => sales('TRUE')).toBeCloseTo(all + 1000, 6);
    expect(await sales(closed)).toBe(before);
    await expect.poll(() => eve.number(BEFORE)).toBeCloseTo(77_241.58, 1);

    // A recode of locked rows is refused before it is sent, with the reason.
    await ann.click({ row: ['Furniture', 'Chairs'] });
    await (await ann.newValue('Region')).fill('East');
    await ann.page.keyboard.press('Enter');
    await expect(ann.apply).toBeDisabled();
    await expect(
      ann.panel.getByText('Some of these rows are locked, so they cannot be recoded.'),
    ).toBeVisible();
    await expect(ann.panel.getByText(/2027 is closed/)).toBeVisible();

    // The others can be moved. Button and checkbox count them.
    const chairs = `"Sub-Category" = 'Chairs'`;
    const held = await sales(`${chairs} AND ${closed} AND "Region" <> 'East'`);
    const elsewhere = `${chairs} AND NOT (${closed}) AND "Region" <> 'East'`;
    const [{ rows }] = await service.query(
      `SELECT count(*)::int AS rows FROM pf.fc_superstore_1 WHERE ${elsewhere}`,
    );
    const moving = `${rows.toLocaleString('en')} rows`;
    await ann.panel.getByLabel(`Move the other ${moving}`).check();
    await expect(ann.apply).toHaveText(`Recode ${moving}`);
    await ann.apply.click();
    await expect(ann.page.getByText(/^Recoded: /)).toBeVisible();
    expect(await sales(elsewhere)).toBeCloseTo(0, 6);
    expect(await sales(`${chairs} AND ${closed} AND "Region" <> 'East'`)).toBe(held);

    // Rows cannot be moved or copied into locked ones, which is said before the click.
    const { id } = await service.api
      .post('/versions/1/locks', { slice: { Region: 'South' }, note: 'Agreed', pf_user: 'eve' })
      .then(({ body }) => body);
    await ann.click(AFTER);
    for (const form of ['Recode', 'Clone']) {
      await ann.panel.getByRole('tab', { name: form }).click();
      await ann.panel.getByLabel('New Region').fill('South');
      await ann.panel.getByLabel('New Region').press('Tab');
      await expect(
        ann.panel.getByText(
          /^With the new values, the rows would be locked\. Locked by eve: Agreed\.$/,
        ),
      ).toBeVisible();
      await expect(ann.apply).toBeDisabled();
    }
    expect((await service.api.del(`/locks/${id}`)).status).toBe(204);
    await expect(ann.apply).toBeEnabled();

    // Without the lock, the same cell accepts an amount.
    await eve.page.getByRole('button', { name: 'Locks' }).click();
    await eve.page.getByRole('button', { name: 'Unlock Order Date up to Dec 31, 2027' }).click();
    await expect(eve.page.getByText(/^Unlocked: /)).toBeVisible();
    await expect(locked).toHaveCount(0);
    await ann.click(BEFORE);
    await ann.page.keyboard.type('80k');
    await ann.page.keyboard.press('Enter');
    await expect.poll(() => eve.number(BEFORE)).toBe(80_000);
  } finally {
    await second.stop();
  }
});

test('the plan is shown as it was after any entry, and returns to now', async ({
  browser,
  page,
  service,
}) => {
  const second = await startServer({ database: service.database });
  try {
    const eve = new PivotPage(page, 'eve');
    await eve.open(1);
    const ann = await openAs(browser, second.url, 'ann');
    const loaded = await ann.number(AFTER);
    for (const [text, shown] of [
      ['80k', 80_000],
      ['90k', 90_000],
    ] as const) {
      await ann.click(AFTER);
      await ann.page.keyboard.type(text);
      await ann.page.keyboard.press('Enter');
      await expect.poll(() => ann.number(AFTER)).toBe(shown);
    }
    const total = await ann.number(TOTAL);

    const log = await ann.log();
    await log.getByRole('button', { name: 'Show the plan as it was after entry 1' }).click();
    await expect.poll(() => ann.number(AFTER)).toBe(loaded);
    await expect(ann.page.getByText(/^The plan as it was after entry 1 /)).toBeVisible();
    await ann.click(AFTER);
    await expect(ann.apply).toHaveCount(0);
    await ann.page.keyboard.type('5');
    await expect(ann.page.getByRole('status').getByText('Go back to now')).toBeVisible();
    await ann.page.keyboard.press('Escape');
    await ann.page.keyboard.press('Control+z');
    await expect(
      ann.page.getByText(/^This is an earlier state of the plan\./).last(),
    ).toBeVisible();

    // Changes made meanwhile are not part of it, and a link shows the same state.
    await eve.click(AFTER);
    await eve.page.keyboard.type('+10%');
    await eve.page.keyboard.press('Enter');
    await expect(ann.page.getByText(/^eve: Scale/)).toBeVisible();
    expect(await ann.number(AFTER)).toBe(loaded);
    expect(new URL(ann.page.url()).searchParams.get('asof')).toBe('1');
    await ann.page.reload();
    await ann.drawn();
    await expect.poll(() => ann.number(AFTER)).toBe(loaded);

    // An undone entry cannot be shown as a past state.
    await ann.page.goto('/versions/1?asof=999');
    await ann.drawn();
    await expect(
      ann.page.getByText(/^The log entry in this address no longer exists/),
    ).toBeVisible();
    await ann.page.goto('/versions/1?asof=1');
    await ann.drawn();

    // The keyboard moves the slider through the log.
    await ann.log();
    const slider = ann.page.getByRole('slider', { name: 'As of' });
    await slider.focus();
    await ann.page.keyboard.press('ArrowRight');
    await expect.poll(() => ann.number(AFTER)).toBe(80_000);
    await ann.page.keyboard.press('ArrowRight');
    await expect.poll(() => ann.number(AFTER)).toBe(90_000);
    await ann.page.getByRole('button', { name: 'Back to now' }).click();
    await expect.poll(() => ann.number(AFTER)).toBe(99_000);

    // The slider can be dragged: its track stays in place when the text beside it changes.
    const track = await boxOf(slider);
    const placeOf = (entry: number) => track.x + 8 + ((track.width - 16) * (entry - 1)) / 3;
    const { mouse } = ann.page;
    await mouse.move(placeOf(4), track.y + track.height / 2);
    await mouse.down();
    await mouse.move(placeOf(3), track.y + track.height / 2, { steps: 5 });
    await expect(slider).toHaveAttribute('aria-valuetext', /^After entry 3/);
    expect(await boxOf(slider)).toEqual(track);
    await mouse.move(placeOf(2), track.y + track.height / 2, { steps: 5 });
    await mouse.up();
    await expect.poll(() => ann.number(AFTER)).toBe(80_000);
    await ann.page.getByRole('button', { name: 'Back to now' }).click();
    await expect.poll(() => ann.number(AFTER)).toBe(99_000);
    await expect.poll(() => ann.number(TOTAL)).toBeCloseTo(total + 9_000, 1);
    await ann.click(AFTER);
    await expect(ann.apply).toBeVisible();

    // Undo is reachable however narrow the log is, and no total mixes origins.
    await ann.page.setViewportSize({ width: 900, height: 768 });
    const drawer = await ann.log();
    await expect(drawer.getByRole('button', { name: 'Undo entry 4' })).toBeInViewport({ ratio: 1 });
    await expect(drawer.getByRole('rowheader')).toHaveText(['Plan']);
  } finally {
    await second.stop();
  }
});

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (!box) throw new Error('It is not to be seen.');
  return box;
}
