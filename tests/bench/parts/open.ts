import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { startServer, type Server } from '../../../src/demo/server';
import { arrangedOn, EngineAlone, openPage, requestOf, startBrowser } from '../browser';
import { machineOf } from '../machine';
import { within, type Bench } from '../part';
import { makeVersion, send, startPlace } from '../place';
import { invoiceLines, manyColumns } from '../shapes';

const CASES = [
  { name: 'many columns', rows: 350_000, shapeOf: manyColumns },
  { name: 'invoice lines', rows: 541_909, shapeOf: invoiceLines },
];

/** Number of steps down the pivot, and the time in which its tasks are recorded. */
const STEPS = 10;
const SETTLES_MS = 2000;

/**
 * Measures the time from the click on a version to its painted pivot, on a page that has shown a pivot
 * before.
 */
export async function measureOpening(bench: Bench): Promise<void> {
  const place = await startPlace();
  const { database, client } = place;
  const env = { PF_MEMORY_MB: '2048', PF_LOG_LEVEL: 'silent' };
  const keeping = await startServer({ database, env });
  const reading = await startServer({ database, env: { ...env, PF_KEEP_ENTRIES: '0' } });
  const browser = await startBrowser();
  const engine = await EngineAlone.start();
  try {
    bench.tell({ kind: 'machine', machine: await machineOf(client, browser.version()) });
    for (const { name, rows: wanted, shapeOf } of CASES) {
      const rows = within(bench, wanted);
      const { id } = await makeVersion(client, keeping.url, shapeOf(rows));
      engine.give(name, await send(keeping.url, 'GET', `/versions/${id}/data`));
      // Each case has new pages, so that memory left by other cases does not matter.
      const coldPage = await listed(browser, reading);
      const keptPage = await listed(browser, keeping);
      const ways: Record<string, number[]> = {};
      let longest = 0;
      for (let round = 0; round <= bench.extent.rounds; round += 1) {
        const cold = await opened(coldPage, id);
        const unchanged = await opened(keptPage, id);
        const took = {
          'click to request': cold.request - cold.click,
          'request to last byte': cold.lastByte - cold.request,
          'the engine alone': await engine.loading(name, cold.arranged),
          'last byte to pivot': cold.painted - cold.lastByte,
          'click to pivot': cold.painted - cold.click,
          'unchanged: click to pivot': unchanged.painted - unchanged.click,
        };
        bench.say(
          `${name}: ${JSON.stringify(took, (_, v) => (typeof v === 'number' ? Math.round(v) : v))}`,
        );
        // The first round warms up: the browser compiles the engine once.
        for (const [way, ms] of Object.entries(took)) if (round > 0) (ways[way] ??= []).push(ms);
        if (round > 0) longest = Math.max(longest, cold.longest, unchanged.longest);
      }
      await coldPage.close();
      await keptPage.close();
      bench.tell({ kind: 'turns', name, turns: { rows, ways } });
      bench.tell({ kind: 'value', name: `longest task, ${name}`, rows, value: longest });
    }
  } finally {
    await engine.end();
    await browser.close();
    await keeping.stop();
    await reading.stop();
    await place.close();
  }
}

/** Opens a page that lists the versions. */
async function listed(browser: Browser, { url }: Server): Promise<Page> {
  const page = await openPage(browser);
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  return page;
}

/** Clicks a version, watches the pivot appear, and goes back to the list. */
async function opened(page: Page, id: number) {
  const link = page.locator(`a.open[href="/versions/${id}"]`);
  await link.waitFor();
  await page.evaluate(() => performance.clearResourceTimings());
  const painting = page.evaluate(() => window.watch.painted(''));
  await link.click();
  const painted = await painting;
  const { began: request, ended: lastByte } = await requestOf(page, /\/versions\/\d+\/data$/);
  const click = await page.evaluate(() => window.watch.clicked);
  const arranged = await arrangedOn(page);
  const longest = await longestAfter(page, painted);
  await page.locator('a[href="/"]').first().click();
  await link.waitFor();
  return { click, request, lastByte, painted, arranged, longest };
}

/** Returns the duration of the longest task after the first screen, while a user moves from cell to cell. */
async function longestAfter(page: Page, painted: number): Promise<number> {
  await page.locator('perspective-viewer-pivot-grid tbody td').first().click();
  await page.getByTestId('slice').waitFor();
  for (let step = 0; step < STEPS; step += 1) await page.keyboard.press('ArrowDown');
  await sleep(SETTLES_MS);
  return page.evaluate((since) => window.watch.longest(since), painted);
}
