import type { Page } from '@playwright/test';
import { openPage } from '../browser';
import { within, type Bench } from '../part';
import { call, makeVersion } from '../place';
import { articles } from '../shapes';
import { withPage } from '../tools';

/** The articles of the lookup, and the columns that become fields. */
const TABLE = `CREATE TABLE public.article_facts AS
  SELECT 'Product ' || i AS sku, 'Family ' || i % 200 + 1 AS "Family", 'Brand ' || i % 1000 + 1 AS "Brand",
    'Manager ' || i % 30 + 1 AS "Manager"
  FROM generate_series(0, 19999) AS i`;

/**
 * Measures versions with the same rows, one of them with a lookup of 20,000 products and three attributes: from the
 * click on a version to its painted pivot, and a change of grouping to an attribute and to a column with as many
 * values, neither of which the engine has yet.
 */
export async function measureLookups(bench: Bench): Promise<void> {
  const rows = within(bench, 500_000);
  await withPage(bench, async ({ place: { client }, server, browser }) => {
    const shape = articles(rows);
    const without = await makeVersion(client, server.url, shape);
    const joined = await makeVersion(client, server.url, { ...shape, tname: 'joined_articles' });
    await client.query(TABLE);
    await call(server.url, 'POST', `/sources/${joined.source}/lookups`, {
      ...{ name: 'Articles', schema: 'public', tname: 'article_facts', pf_user: 'bench' },
      keys: [{ column: 'Product', from: 'sku' }],
      attributes: ['Family', 'Brand', 'Manager'].map((cname) => ({ cname })),
    });
    const list = await openPage(browser);
    list.setDefaultTimeout(60_000);
    await list.goto(server.url);
    const opening: Record<string, number[]> = {};
    const grouping: Record<string, number[]> = {};
    // The first round warms up.
    for (let round = 0; round <= bench.extent.rounds; round += 1) {
      const note = (ways: Record<string, number[]>, way: string, ms: number) => {
        bench.say(`${way}: ${Math.round(ms)} ms`);
        if (round > 0) (ways[way] ??= []).push(ms);
      };
      const pages: [string, number][] = [
        ['without lookups', without.id],
        ['with three attributes', joined.id],
      ];
      // Neither way always comes first.
      if (round % 2 === 1) pages.reverse();
      for (const [way, id] of pages) note(opening, way, await opened(list, id));

      const page = await openPage(browser);
      page.setDefaultTimeout(120_000);
      await page.goto(`${server.url}/versions/${joined.id}?rows=Region&columns=`);
      await page.evaluate(() => window.watch.painted(''));
      await page.keyboard.press('a');
      const fields: [string, string][] = [
        ['a column', 'Group'],
        ['an attribute', 'Family'],
      ];
      if (round % 2 === 1) fields.reverse();
      // The first grouping of a visit takes longer than others, whichever it is.
      let from = 'Customer';
      await regrouped(page, 'Region', from);
      for (const [way, to] of fields) {
        note(grouping, way, await regrouped(page, from, to));
        from = to;
      }
      await page.close();
    }
    await list.close();
    const inOrder = (ways: Record<string, number[]>, ...names: string[]) =>
      Object.fromEntries(names.map((name) => [name, ways[name] ?? []]));
    bench.tell({
      ...{ kind: 'turns', name: 'opening with a lookup' },
      turns: { rows, ways: inOrder(opening, 'without lookups', 'with three attributes') },
    });
    bench.tell({
      ...{ kind: 'turns', name: 'grouping by an attribute' },
      turns: { rows, ways: inOrder(grouping, 'a column', 'an attribute') },
    });
  });
}

/** Clicks a version, waits for its pivot, and goes back to the list. */
async function opened(page: Page, id: number): Promise<number> {
  const link = page.locator(`a.open[href="/versions/${id}"]`);
  await link.waitFor();
  const painting = page.evaluate(() => window.watch.painted(''));
  await link.click();
  const painted = await painting;
  const clicked = await page.evaluate(() => window.watch.clicked);
  await page.locator('a[href="/"]').first().click();
  await link.waitFor();
  return painted - clicked;
}

/** Groups by another field, from the key to the painted rows. */
async function regrouped(page: Page, from: string, to: string): Promise<number> {
  const panel = page.getByRole('complementary', { name: 'Arrange' });
  const choose = async (field: string, item: string) => {
    await panel.getByRole('button', { name: `Arrange ${field}`, exact: true }).press('Enter');
    const choice = page.getByRole('menuitem', { name: item, exact: true });
    await choice.waitFor();
    const pressed = await page.evaluate(() => performance.now());
    await choice.press('Enter');
    return pressed;
  };
  await choose(to, 'Move to rows');
  const pressed = await choose(from, 'Remove');
  return (await page.evaluate((text) => window.watch.headed(text), `${to} 1`)) - pressed;
}
