import type { Browser, Page } from '@playwright/test';
import type { Server } from '../../../src/demo/server';
import { ARROW } from '../../../src/lib/contract/primitives';
import { arrangedOn, type EngineAlone, memoryOf, openPage, requestOf } from '../browser';
import { count } from '../document';
import { timed } from '../measure';
import { within, type Bench } from '../part';
import { call, makeVersion, send, type Place } from '../place';
import { startPsql } from '../psql';
import { LEAVES, manyColumns, plannedOrders, type Shape } from '../shapes';
import { bareInsert, scaleTokens, statementOf } from '../statements';
import { withPage } from '../tools';

const PERCENT = 10;
const BATCH = 'Batch 1';

/** The versions that are scaled as a whole, by the names of their measurements. */
const WHOLE_PLANS: readonly {
  name: string;
  shapeOf: (bench: Bench) => Shape;
  /** The number of scales, each followed by an undo; as many as rounds by default. */
  times?: number;
}[] = [
  {
    name: 'all leaves',
    shapeOf: (bench) => plannedOrders(within(bench, 500_000), { grain: false }),
    // The memory should be stable afterwards.
    times: 10,
  },
  {
    name: 'all leaves, 55 columns',
    shapeOf: (bench) => manyColumns(within(bench, 350_000)),
  },
];

/** Measures a change in the page, from the click to the number, beside its lower bounds. */
export const measureChanges = (bench: Bench): Promise<void> =>
  withPage(bench, async ({ place, server, browser, engine }) => {
    await changeSlice(bench, place, server, browser, engine);
    await changeAll(bench, place, server, browser, engine);
  });

/** Returns the rows of a version, and the answer of a scale of some of them; the scale is undone. */
async function given(engine: EngineAlone, { url }: Server, id: number, slice: object) {
  engine.give('loaded', await send(url, 'GET', `/versions/${id}/data`));
  const body = { slice, pct: PERCENT, pf_user: 'bench' };
  const answer = await send(url, 'POST', `/versions/${id}/scale`, body, { accept: ARROW });
  engine.give('answer', answer);
  const { entries } = await call(url, 'GET', `/versions/${id}/log`);
  await send(url, 'DELETE', `/log/${entries[0].id}`);
}

async function opened(browser: Browser, { url }: Server, path: string): Promise<Page> {
  const page = await openPage(browser);
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}${path}`);
  await page.evaluate(() => window.watch.painted(''));
  return page;
}

/** Returns the first number in a row of the grid. */
const numberOf = (page: Page, row: string) =>
  page
    .locator('perspective-viewer-pivot-grid tbody tr')
    .filter({ has: page.getByText(row, { exact: true }) })
    .locator('td')
    .first();

/** Waits until the page has this number of rows and accepts the next command. */
const settledAt = (page: Page, rows: number) =>
  page
    .getByText(`${count(rows)} rows`, { exact: true })
    .first()
    .waitFor();

/** Scales the rows of a grid row. @returns the page's times */
async function scaled(page: Page, row: string, rows: number) {
  await numberOf(page, row).click();
  const percent = page.getByLabel(/: Percent$/).first();
  await percent.fill(String(PERCENT));
  const apply = page.getByRole('button', { name: /^Scale [\d,]+ rows?$/ });
  await apply.and(page.locator(':enabled')).waitFor();
  const before = await page.evaluate(() => window.watch.total());
  const summing = page.evaluate((total) => window.watch.summed(total), before);
  const painting = page.evaluate((total) => window.watch.painted(total), before);
  await apply.click();
  const [summed, painted] = await Promise.all([summing, painting]);
  const { ended } = await requestOf(page, /\/scale$/);
  const click = await page.evaluate(() => window.watch.clicked);
  await settledAt(page, rows);
  return { click, answered: ended, summed, painted };
}

/** Undoes the last change. @returns milliseconds from the key to the number */
async function undone(page: Page, rows: number): Promise<number> {
  const before = await page.evaluate(() => window.watch.total());
  const painting = page.evaluate((total) => window.watch.painted(total), before);
  const took = await timed(async () => {
    await page.keyboard.press('Control+z');
    await painting;
  });
  await settledAt(page, rows);
  return took;
}

/** Measures a slice of 10,000 leaves of a million rows: from the last byte of the answer to the new sums. */
async function changeSlice(
  bench: Bench,
  { client }: Place,
  server: Server,
  browser: Browser,
  engine: EngineAlone,
): Promise<void> {
  const rows = within(bench, 1_000_000);
  const shape = { ...plannedOrders(rows, { grain: false }), tname: 'sliced_orders' };
  const { id } = await makeVersion(client, server.url, shape);
  await given(engine, server, id, { Batch: BATCH });
  const tell = (name: string, ways: Record<string, number[]>) =>
    bench.tell({ kind: 'turns', name, turns: { rows, ways } });
  const { rounds } = bench.extent;

  bench.say(`a slice of ${rows} rows`);
  const ways: Record<string, number[]> = {};
  await onPage(browser, server, id, async (page, arranged) => {
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const took = await scaled(page, BATCH, rows + (round + 1) * LEAVES);
      const alone = await engine.updating('loaded', 'answer', arranged);
      if (round > 0) note(ways, took, alone);
    }
  });
  tell('a slice', ways);
  await undoAll(server, id, 1 + rounds);

  bench.say('the same after undos');
  const afterUndos: Record<string, number[]> = {};
  await onPage(browser, server, id, async (page, arranged) => {
    const again = await engine.updatingAgain('loaded', 'answer', arranged, 1 + rounds);
    for (const [round, alone] of again.entries()) {
      const took = await scaled(page, BATCH, rows + LEAVES);
      await undone(page, rows);
      // In the first round, nothing has been undone yet.
      if (round > 0) note(afterUndos, took, alone);
    }
  });
  tell('after undos', afterUndos);
}

/** Opens the page of a version of batches and runs some work on it. */
async function onPage(
  browser: Browser,
  server: Server,
  id: number,
  work: (page: Page, arranged: Awaited<ReturnType<typeof arrangedOn>>) => Promise<void>,
): Promise<void> {
  const page = await opened(browser, server, `/versions/${id}?rows=Batch&columns=`);
  try {
    await work(page, await arrangedOn(page));
  } finally {
    await page.close();
  }
}

function note(
  ways: Record<string, number[]>,
  took: Awaited<ReturnType<typeof scaled>>,
  alone: number,
): void {
  (ways['the engine alone'] ??= []).push(alone);
  (ways['answer to new sums'] ??= []).push(took.summed - took.answered);
  (ways['answer to painted sums'] ??= []).push(took.painted - took.answered);
  (ways['click to number'] ??= []).push(took.painted - took.click);
}

/** Undoes the newest entries of a version. */
async function undoAll({ url }: Server, id: number, count: number): Promise<void> {
  const { entries } = await call(url, 'GET', `/versions/${id}/log`);
  for (const entry of entries.slice(0, count)) await send(url, 'DELETE', `/log/${entry.id}`);
}

/**
 * Measures repeated changes of all leaves of a version, beside the statement and a bare insert in the database, and
 * beside the engine alone.
 */
async function changeAll(
  bench: Bench,
  { client, database }: Place,
  server: Server,
  browser: Browser,
  engine: EngineAlone,
): Promise<void> {
  const psql = await startPsql(database);
  try {
    for (const { name, shapeOf, times = bench.extent.rounds } of WHOLE_PLANS) {
      const shape = shapeOf(bench);
      bench.say(`all of ${shape.rows} rows, ${name}`);
      const { id, table, templates } = await makeVersion(client, server.url, shape);
      await given(engine, server, id, {});
      const statement = statementOf(
        templates.scale!,
        table,
        null,
        0,
        scaleTokens({ pct: PERCENT }),
      );
      const inDatabase = (text: string) =>
        timed(() => psql.run(`BEGIN; COPY (${text}) TO STDOUT (FORMAT binary); ROLLBACK;`));
      const page = await opened(browser, server, `/versions/${id}?columns=`);
      const arranged = await arrangedOn(page);
      const ways: Record<string, number[]> = {};
      const memory: number[] = [];
      let longest = 0;
      for (let round = 0; round < times; round += 1) {
        const took = await scaled(page, 'TOTAL', 2 * shape.rows);
        (ways['click to number'] ??= []).push(took.painted - took.click);
        if (round < bench.extent.rounds) {
          (ways['the statement'] ??= []).push(await inDatabase(statement));
          (ways['a bare insert'] ??= []).push(await inDatabase(bareInsert(shape, table, 0)));
          const alone = await engine.updating('loaded', 'answer', arranged);
          (ways['the engine alone'] ??= []).push(alone);
        }
        (ways['undo: key to number'] ??= []).push(await undone(page, shape.rows));
        memory.push(await memoryOf(browser));
        const task = await page.evaluate((since) => window.watch.longest(since), took.click);
        longest = Math.max(longest, task);
        bench.say(`${round + 1} of ${times}`);
      }
      await page.close();
      const { rows } = shape;
      bench.tell({ kind: 'turns', name, turns: { rows, ways } });
      const value = memory.at(-1)! / memory[0]!;
      bench.tell({ kind: 'value', name: `memory, ${name}`, rows, value });
      bench.tell({ kind: 'value', name: `longest task, ${name}`, rows, value: longest });
    }
  } finally {
    await psql.end();
  }
}
