/**
 * Many people in one version: `npm run soak:pages [-- --minutes=2 --pages=20 --writers=5 --seed=S]`.
 * Needs a build. Not part of `npm test`.
 *
 * Two servers on one database, pages on both, and writers that scale, recode, clone, undo and redo at
 * random. Halfway one server stops and comes back. At the end every page has to show, by itself, the
 * numbers that SQL adds up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { startServer, type Server } from '../../src/demo/server';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { PivotPage } from '../e2e/pivot-page';
import { Random } from '../hunt/random';
import { CHROMIUM_ARGS, installedChromium } from '../support/chromium.js';
import { cloneDatabase, dropDatabase, startTestCluster } from '../support/cluster';
import { apiAt } from '../support/http';
import { queryOn, type Query } from '../support/service';

const TABLE = 'pf.fc_superstore_1';
/** Pause between two changes of a writer, in milliseconds. */
const PAUSE = { shortest: 1500, longest: 5000 };
/** Time that the pages get to catch up after the last change. The machine may be busy. */
const CATCH_UP_MS = 120_000;

const REGIONS = ['Central', 'East', 'South', 'West'];
const SEGMENTS = ['Consumer', 'Corporate', 'Home Office'];
const CATEGORIES = ['Furniture', 'Office Supplies', 'Technology'];

/** The numbers of a page, shown or expected, by the labels of row and column. */
type Numbers = ReadonlyMap<string, number>;

/** A user who plans through the API, on both servers in turn. */
class Writer {
  readonly refused: string[] = [];
  done = 0;

  constructor(
    private readonly servers: readonly Server[],
    private readonly name: string,
    private readonly random: Random,
  ) {}

  async work(until: number): Promise<void> {
    while (Date.now() < until) {
      await sleep(this.random.between(PAUSE.shortest, PAUSE.longest));
      await this.change();
    }
  }

  private async change(): Promise<void> {
    const { random } = this;
    const api = apiAt(random.pick(this.servers).url);
    const slice = {
      Region: random.pick(REGIONS),
      Segment: random.pick(SEGMENTS),
      ...(random.chance(0.7) && { Category: random.pick(CATEGORIES) }),
    };
    const pf_user = this.name;
    const path = '/versions/1';
    try {
      const draw = random.next();
      if (draw < 0.4) {
        const amounts = random.chance(0.5)
          ? { pct: random.between(-9, 9) || 1 }
          : { value_incr: random.between(1, 99_999) / 100, units_incr: random.between(1, 50) };
        this.note(await api.post(`${path}/scale`, { slice, ...amounts, pf_user }));
      } else if (draw < 0.55) {
        const set = { Segment: random.pick(SEGMENTS) };
        this.note(await api.post(`${path}/recode`, { slice, set, pf_user }));
      } else if (draw < 0.7) {
        const set = { 'Order Date': `20${random.between(27, 32)}-06-15` };
        this.note(await api.post(`${path}/clone`, { slice, set, scale_factor: 0.01, pf_user }));
      } else if (draw < 0.9) {
        const { body } = await api.get(`${path}/log`);
        const entries: { id: number }[] = body.entries;
        // The first entry is the baseline, whose undo would make the pages load everything again.
        const [, ...others] = entries.toReversed();
        if (others.length > 0) this.note(await api.del(`/log/${random.pick(others).id}`));
      } else {
        const { body } = await api.get(`${path}/undone`);
        const undone: { logid: number }[] = body;
        if (undone.length === 0) return;
        const { logid } = random.pick(undone);
        this.note(await api.post(`${path}/redo/${logid}`, { pf_user }));
      }
    } catch (error) {
      // The request went to the server that was stopped.
      this.refused.push(String(error));
    }
  }

  private note({ status, body }: { status: number; body: { error?: string } | undefined }): void {
    if (status < 300) this.done += 1;
    else this.refused.push(`${status}: ${body?.error}`);
  }
}

/** The expected numbers of every page: the sums by category, sub-category and year, and of all rows. */
async function stored(query: Query): Promise<Numbers> {
  const rows = await query<{
    row: (string | null)[];
    year: string;
    sales: number;
    quantity: number;
  }>(
    `SELECT ARRAY["Category", "Sub-Category"] AS row, year,
            sum("Sales")::float8 AS sales, sum("Quantity")::float8 AS quantity
       FROM ${TABLE}, to_char("Order Date", 'YYYY') AS year
      GROUP BY GROUPING SETS ((year, "Category", "Sub-Category"), (year, "Category"), (year))`,
  );
  return new Map(
    rows.flatMap(({ row, year, sales, quantity }): [string, number][] => {
      const labels = row.filter((label) => label !== null);
      return [
        [keyOf(labels, [year, 'Sales']), sales],
        [keyOf(labels, [year, 'Quantity']), quantity],
      ];
    }),
  );
}

const keyOf = (row: readonly string[], column: readonly string[]): string =>
  [row.join(' › ') || 'TOTAL', ...column].join(', ');

async function shown(pivot: PivotPage): Promise<Numbers> {
  const cells = await pivot.cells();
  return new Map(
    cells.flatMap(({ row, column, text }): [string, number][] =>
      column && text !== '' ? [[keyOf(row, column), Number(text.replaceAll(',', ''))]] : [],
    ),
  );
}

/** The cells that a page shows differently than expected, to the last digit on screen. */
const differences = (seen: Numbers, wanted: Numbers): string[] =>
  [...new Set([...seen.keys(), ...wanted.keys()])]
    .filter((key) => Math.abs((seen.get(key) ?? 0) - (wanted.get(key) ?? 0)) > 0.0051)
    .map((key) => `${key}: ${seen.get(key)} on screen, ${wanted.get(key)} stored`);

async function open(
  url: string,
  name: string,
  browser: Awaited<ReturnType<typeof chromium.launch>>,
) {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-US',
    viewport: { width: 1440, height: 1100 },
  });
  const pivot = new PivotPage(await context.newPage());
  const errors: string[] = [];
  pivot.page.on('pageerror', (error) => errors.push(String(error)));
  // The transpiler wraps functions in a helper that a page does not have.
  await pivot.page.addInitScript('globalThis.__name = (made) => made');
  await pivot.open(1);
  return { name, pivot, errors };
}

async function soak(
  database: DatabaseConfig,
  options: { minutes: number; pages: number; writers: number; seed: number },
): Promise<string[]> {
  const servers: [Server, Server] = [
    await startServer({ database }),
    await startServer({ database }),
  ];
  const { query, end } = queryOn(database);
  const browser = await chromium.launch({
    executablePath: installedChromium(),
    args: CHROMIUM_ARGS,
  });
  try {
    const pages = [];
    for (let i = 0; i < options.pages; i++) {
      pages.push(await open(servers[i % 2 ? 1 : 0].url, `page ${i + 1}`, browser));
    }
    console.log(`${pages.length} pages are open`);

    const until = Date.now() + options.minutes * 60_000;
    const writers = Array.from({ length: options.writers }, (_, i) => {
      const name = `writer ${i + 1}`;
      return new Writer(servers, name, new Random(options.seed, name));
    });
    const working = Promise.all(writers.map((writer) => writer.work(until)));
    await sleep((options.minutes * 60_000) / 2);
    const port = Number(new URL(servers[1].url).port);
    await servers[1].stop();
    await sleep(5000);
    servers[1] = await startServer({ database, port });
    await working;

    const done = writers.reduce((sum, writer) => sum + writer.done, 0);
    const refused = writers.flatMap((writer) => writer.refused);
    console.log(`${done} changes made, ${refused.length} refused`);
    for (const reason of new Set(refused)) console.log(`  ${reason}`);

    const wanted = await stored(query);
    const wrong: string[] = [];
    const began = Date.now();
    for (const { name, pivot, errors } of pages) {
      let left: string[];
      do {
        left = differences(await shown(pivot), wanted);
      } while (left.length > 0 && Date.now() < began + CATCH_UP_MS && (await sleep(500, true)));
      wrong.push(...[...left, ...errors].map((text) => `${name}: ${text}`));
      const banner = pivot.page.getByRole('button', { name: 'Reload' });
      if (await banner.isVisible()) wrong.push(`${name} asks for a reload`);
    }
    console.log(
      `All pages were looked at ${Math.round((Date.now() - began) / 1000)} s after the last change`,
    );
    if (done < options.writers) wrong.push('The writers made too few changes');
    return wrong;
  } finally {
    await browser.close();
    for (const server of servers) await server.stop();
    await end();
  }
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    pages: { type: 'string', default: '20' },
    writers: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const options = {
  minutes: Number(values.minutes),
  pages: Number(values.pages),
  writers: Number(values.writers),
  seed: Number(values.seed),
};
if (!Object.values(options).every((n) => n > 0)) {
  throw new Error('usage: npm run soak:pages -- [--minutes=2 --pages=20 --writers=5 --seed=S]');
}
console.log(`seed ${options.seed}`);
const stopCluster = await startTestCluster();
const database = await cloneDatabase('raw');
try {
  const wrong = await soak(database, options);
  for (const text of wrong.slice(0, 50)) console.log(`  ${text}`);
  console.log(`${wrong.length} violations`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await dropDatabase(database);
  await stopCluster();
}
