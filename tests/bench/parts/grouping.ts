import { arrangedOn, openPage } from '../browser';
import { within, type Bench } from '../part';
import { makeVersion, send } from '../place';
import { plannedOrders } from '../shapes';
import { withPage } from '../tools';

/**
 * Measures a change of grouping in the page, from the key to the painted rows: by a column that the engine has, and by
 * one that the page has not given to it yet. Beside it, the engine alone makes the same view of a table with all
 * columns, and also loads that table.
 */
export async function measureGrouping(bench: Bench): Promise<void> {
  const rows = within(bench, 1_500_000);
  await withPage(bench, async ({ place, server, browser, engine }) => {
    const shape = { ...plannedOrders(rows, { grain: false }), tname: 'grouped_orders' };
    const { id } = await makeVersion(place.client, server.url, shape);
    engine.give('loaded', await send(server.url, 'GET', `/versions/${id}/data`));
    const ways: Record<string, number[]> = {};
    // The first round warms up.
    for (let round = 0; round <= bench.extent.rounds; round += 1) {
      const page = await openPage(browser);
      page.setDefaultTimeout(120_000);
      await page.goto(`${server.url}/versions/${id}?rows=Region&columns=`);
      await page.evaluate(() => window.watch.painted(''));
      await page.keyboard.press('a');
      const panel = page.getByRole('complementary', { name: 'Arrange' });
      const choose = async (field: string, item: string) => {
        const button = panel.getByRole('button', { name: `Arrange ${field}`, exact: true });
        await button.press('Enter');
        const choice = page.getByRole('menuitem', { name: item, exact: true });
        await choice.waitFor();
        const pressed = await page.evaluate(() => performance.now());
        await choice.press('Enter');
        return pressed;
      };
      const regrouped = async (from: string, to: string) => {
        await choose(to, 'Move to rows');
        const pressed = await choose(from, 'Remove');
        return (await page.evaluate((text) => window.watch.headed(text), `${to} 1`)) - pressed;
      };
      const fresh = await regrouped('Region', 'Category');
      const known = await regrouped('Category', 'Region');
      const arranged = await arrangedOn(page);
      await page.close();
      const alone = await engine.viewing('loaded', arranged);
      const loaded = await engine.loading('loaded', arranged);
      if (round === 0) continue;
      (ways['the engine alone'] ??= []).push(alone);
      (ways['a column that the engine has'] ??= []).push(known);
      (ways['the engine alone, with the load'] ??= []).push(loaded);
      (ways['a new column'] ??= []).push(fresh);
      bench.say(`${round} of ${bench.extent.rounds}`);
    }
    bench.tell({ kind: 'turns', name: 'grouping', turns: { rows, ways } });
  });
}
