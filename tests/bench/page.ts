/**
 * What a change of a whole plan costs in the page: `npm run bench:page [-- rows [rounds]]`.
 *
 * Every leaf of a version is scaled and the scale undone, again and again, on the pivot page in Chromium:
 * from the click to the number on screen. Beside it stand the two things that cannot be saved: the same
 * statement by pg alone, and the engine that takes the answer's Arrow stream into the same view. The
 * three alternate, and the medians are given as ratios: absolute times belong to the machine. Needs a
 * build. Not part of `npm test`.
 */
import { readFile } from 'node:fs/promises';
import perspective from '@finos/perspective/node';
import { chromium, type Page } from '@playwright/test';
import { startServer } from '../../src/demo/server';
import { ARROW } from '../../src/lib/contract/primitives';
import { sql } from '../../src/lib/server/sql/quote';
import { substitute } from '../../src/lib/server/sql/tokens';
import { trusted } from '../../src/lib/server/sql/trusted';
import { CHROMIUM_ARGS, installedChromium } from '../support/chromium.js';
import { median, timed } from './measure';
import { planOrders, senderTo, startOrders } from './orders';

const PERCENT = 10;

/** What the page's view shows, as the viewer tells it. */
type Arranged = Record<'group_by' | 'split_by' | 'columns', string[]> & {
  expressions: Record<string, string>;
};

/** The grid's first number, which is that of all rows. */
const TOTAL = 'perspective-viewer-pivot-grid regular-table tbody td';

const totalOf = (page: Page) => page.locator(TOTAL).first().innerText();

/** Waits until the total is another one than it was. */
async function changed(page: Page, before: string): Promise<void> {
  for (;;) {
    const shown = await totalOf(page);
    if (shown !== '' && shown !== before) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Bytes that the tab has in memory: all processes that draw pages. */
async function memoryOf(page: Page): Promise<number> {
  const browser = await page.context().browser()?.newBrowserCDPSession();
  if (!browser) return NaN;
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  await browser.detach();
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8');
      return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function main(rows: number, rounds: number): Promise<void> {
  const { postgres, database, client } = await startOrders(rows, { work_mem: '256MB' });
  const server = await startServer({ database, env: { PF_MEMORY_MB: '2048' } });
  const browser = await chromium.launch({
    executablePath: installedChromium(),
    args: CHROMIUM_ARGS,
  });
  try {
    const { id, table, templates, call } = await planOrders(client, senderTo(server.url));
    const bytesOf = async (path: string, init?: RequestInit) =>
      (await fetch(`${server.url}/api${path}`, init)).arrayBuffer();
    const loaded = await bytesOf(`/versions/${id}/data`);
    const answer = await bytesOf(`/versions/${id}/scale`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: ARROW },
      body: JSON.stringify({ slice: {}, pct: PERCENT, pf_user: 'bench' }),
    });
    const [{ id: logid }] = (await call('GET', `/versions/${id}/log`)).entries;
    await call('DELETE', `/log/${logid}`);

    const page = await browser.newPage();
    await page.addInitScript(() => localStorage.setItem('pf.user', 'bench'));
    await page.goto(`${server.url}/versions/${id}`);
    await page.locator(TOTAL).first().waitFor({ timeout: 0 });
    const { group_by, split_by, columns, expressions } = await page
      .locator('perspective-viewer')
      .evaluate((viewer: HTMLElement & { save(): Promise<Arranged> }) => viewer.save());

    const template = templates.find((t: { operation: string }) => t.operation === 'scale').sql;
    const statement = substitute(template, {
      fc_table: trusted(table),
      where_clause: sql`TRUE`,
      exclude_clause: sql`pf_iter NOT IN ('reference')`,
      logid: sql`0`,
      note: sql`NULL::text`,
      pct: sql`${PERCENT}::numeric`,
      value_incr: sql`NULL::numeric`,
      units_incr: sql`NULL::numeric`,
      spread: sql`'proportional'`,
    });
    /** The statement alone: what it answers is read and thrown away. */
    const inDatabase = async () => {
      await client.query('BEGIN');
      const took = await timed(() => client.query({ text: statement, rowMode: 'array' }));
      await client.query('ROLLBACK');
      return took;
    };
    /** The engine alone, with the page's view on its table. */
    const inEngine = async () => {
      const engine = await perspective.table(loaded.slice(0), { index: 'pf_id' });
      const view = await engine.view({ group_by, split_by, columns, expressions });
      const took = await timed(async () => {
        await engine.update(answer.slice(0));
        await view.to_columns_string({ end_row: 1 });
      });
      await view.delete();
      await engine.delete();
      return took;
    };
    const onPage = async (act: () => Promise<void>) => {
      const before = await totalOf(page);
      return timed(async () => {
        await act();
        await changed(page, before);
      });
    };

    const times: Record<string, number[]> = {};
    const memory: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await page.locator(TOTAL).first().click();
      await page
        .getByLabel(/: Percent$/)
        .first()
        .fill(String(PERCENT));
      const apply = page.getByRole('button', { name: /^Scale [\d,]+ rows$/ });
      await apply.and(page.locator(':enabled')).waitFor({ timeout: 0 });
      const took = {
        'scale, click to number': await onPage(() => apply.click()),
        'statement alone': await inDatabase(),
        'engine alone': await inEngine(),
        'undo, key to number': await onPage(async () => {
          await page.locator(TOTAL).first().click();
          await page.keyboard.press('Control+z');
        }),
      };
      for (const [what, time] of Object.entries(took)) (times[what] ??= []).push(time);
      memory.push(await memoryOf(page));
    }
    console.log(`${rows} rows, each a leaf, all scaled and undone ${rounds} times`);
    for (const [what, all] of Object.entries(times)) {
      console.log(
        `  ${what.padEnd(24)} ${all.map(Math.round).join(' ')}  median ${Math.round(median(all))} ms`,
      );
    }
    const alone = median(times['statement alone']!) + median(times['engine alone']!);
    const ratio = median(times['scale, click to number']!) / alone;
    console.log(`scale : statement and engine alone  ${ratio.toFixed(2)}`);
    console.log(
      `memory after the last round : after the first  ${(memory.at(-1)! / memory[0]!).toFixed(2)}`,
    );
  } finally {
    await browser.close();
    await server.stop();
    await client.end();
    await postgres.stop();
  }
}

const [rows, rounds] = process.argv.slice(2).map(Number);
await main(rows ?? 500_000, rounds ?? 10);
