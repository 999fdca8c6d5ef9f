import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from '@playwright/test';
import { PROJECT } from '../../src/cli/prepare.js';
import { groupedBy, isTimeUnit, TIME_UNITS } from '../../src/lib/pivot/values/time-unit';
import { CHROMIUM_ARGS, installedChromium } from '../support/chromium.js';

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: installedChromium(), args: CHROMIUM_ARGS });

/** What the page's view shows, as the viewer tells it. */
export type Arranged = Record<'group_by' | 'split_by' | 'columns', string[]> & {
  expressions: Record<string, string>;
};

declare global {
  interface Window {
    /** What page/watch.js tells. All times are the page's own, in milliseconds. */
    watch: {
      /** When something was clicked last. */
      clicked: number;
      /** How long the longest task was that began then or later; 0 if none took 50 ms. */
      longest(since: number): number;
      /** The grid's first number. */
      total(): string;
      /** When the grid, which is there, got another first number than this. */
      summed(before: string): Promise<number>;
      /** When the grid was painted with another first number than this. */
      painted(before: string): Promise<number>;
    };
    /** What page/engine.js does. */
    engine: {
      /** How long it takes to load rows and make a view, or to take `more` rows into both. */
      measured(name: string, more: string | null, arranged: Arranged): Promise<number>;
      /** How long it takes to take `more` rows in, so many times; they are taken out again after each. */
      repeated(name: string, more: string, arranged: Arranged, times: number): Promise<number[]>;
    };
  }
}

const ours = (name: string): string => join(PROJECT, 'tests/bench/page', name);

/** A page that knows who plans, and watches its grid. */
export async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.addInitScript({ path: ours('watch.js') });
  return page;
}

/** When the last request of a path like this began, and when its last byte was there. */
export const requestOf = (page: Page, path: RegExp): Promise<{ began: number; ended: number }> =>
  page.evaluate(
    ([source]) => {
      const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      const last = entries.findLast(({ name }) => new RegExp(source!).test(new URL(name).pathname));
      return { began: last?.startTime ?? NaN, ended: last?.responseEnd ?? NaN };
    },
    [path.source],
  );

const GROUPED = new RegExp(`^(.+) \\((${TIME_UNITS.join('|')})\\)$`);

/** The expression of a date that is grouped by a unit of time, which the page has as a column. */
function expressionsOf(name: string): Record<string, string> {
  const [, date, unit] = GROUPED.exec(name) ?? [];
  return date !== undefined && isTimeUnit(unit) ? groupedBy(date, unit).expressions : {};
}

/**
 * The view that the page has made. The rows that come from the service have no columns of months: there, they
 * are expressions.
 */
export async function arrangedOn(page: Page): Promise<Arranged> {
  const saved = await page
    .locator('perspective-viewer')
    .evaluate((viewer) => (viewer as HTMLElement & { save(): Promise<Arranged> }).save());
  const { group_by, split_by } = saved;
  const columns = saved.columns.filter((name) => name !== null);
  const made = [...group_by, ...split_by].map(expressionsOf);
  const expressions = Object.assign({}, ...made, saved.expressions);
  return { group_by, split_by, columns, expressions };
}

/** Bytes that the browser's pages have in memory: all processes that draw them. */
export async function memoryOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8');
      return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const TYPES: Record<string, string> = { js: 'text/javascript', wasm: 'application/wasm' };
const ENGINE = join(PROJECT, 'node_modules/@finos/perspective/dist');

const PAGE = '<!doctype html><script type="module" src="/engine.js"></script>';

/** The engine in a page with nothing else, in another browser process than any other page. */
export class EngineAlone {
  private constructor(
    private readonly browser: Browser,
    private readonly page: Page,
    private readonly bytes: Map<string, Uint8Array>,
    private readonly stop: () => void,
  ) {}

  static async start(): Promise<EngineAlone> {
    const bytes = new Map<string, Uint8Array>();
    const server = createServer((request, response) => {
      const path = request.url ?? '/';
      const kept = bytes.get(path);
      const file = path === '/engine.js' ? ours('engine.js') : join(ENGINE, path);
      const answer = kept ?? (path === '/' ? PAGE : readFile(file));
      response.setHeader('content-type', TYPES[path.split('.').pop()!] ?? 'text/html');
      Promise.resolve(answer).then(
        (body) => response.end(body),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const browser = await startBrowser();
    const page = await browser.newPage();

    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction(() => window.engine);
    return new EngineAlone(browser, page, bytes, () => server.close());
  }

  /** Gives it an Arrow stream to take from memory. */
  give(name: string, bytes: Uint8Array): void {
    this.bytes.set(`/bytes/${encodeURIComponent(name)}`, bytes);
  }

  /** How long it needs to load given bytes and to make a view of them. */
  loading(name: string, arranged: Arranged): Promise<number> {
    return this.measured(name, null, arranged);
  }

  /** How long it needs to take more bytes into a table with a view. */
  updating(name: string, more: string, arranged: Arranged): Promise<number> {
    return this.measured(name, more, arranged);
  }

  /** As {@link updating}, so many times in one table; what came is taken out again after each. */
  updatingAgain(name: string, more: string, arranged: Arranged, times: number): Promise<number[]> {
    return this.page.evaluate(
      (asked) => window.engine.repeated(asked.name, asked.more, asked.arranged, asked.times),
      { name, more, arranged, times },
    );
  }

  private measured(name: string, more: string | null, arranged: Arranged): Promise<number> {
    return this.page.evaluate(
      (asked) => window.engine.measured(asked.name, asked.more, asked.arranged),
      { name, more, arranged },
    );
  }

  async end(): Promise<void> {
    await this.browser.close();
    this.stop();
  }
}
