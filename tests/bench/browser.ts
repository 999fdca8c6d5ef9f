import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from '@playwright/test';
import { PROJECT } from '../../src/cli/prepare.js';
import { groupedBy, isTimeUnit, TIME_UNITS } from '../../src/lib/pivot/values/time-unit';
import { CHROMIUM_ARGS, installedChromium } from '../support/chromium.js';

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: installedChromium(), args: CHROMIUM_ARGS });

/** The view settings of the page, as the viewer reports them. */
export type Arranged = Record<'group_by' | 'split_by' | 'columns', string[]> & {
  expressions: Record<string, string>;
};

declare global {
  interface Window {
    /** The interface of page/watch.js. All times are those of the page, in ms. */
    watch: {
      /** Time of the last click. */
      clicked: number;
      /** Duration of the longest task that began at or after a time; 0 if none took 50 ms. */
      longest(since: number): number;
      /** The first number of the grid. */
      total(): string;
      /** Time at which the grid had another first number than this. */
      summed(before: string): Promise<number>;
      /** Time at which the grid was painted with another first number than this. */
      painted(before: string): Promise<number>;
      /** Time at which the grid was painted with a row whose head contains this text. */
      headed(text: string): Promise<number>;
    };
    /** The interface of page/engine.js. */
    engine: {
      /** Time to load rows and make a view, or to add `more` rows to both, in ms. */
      measured(name: string, more: string | null, arranged: Arranged): Promise<number>;
      /** Time to make a view of a table that has the rows, in ms. */
      viewed(name: string, arranged: Arranged): Promise<number>;
      /** Times to add `more` rows repeatedly; they are removed again after each addition. */
      repeated(name: string, more: string, arranged: Arranged, times: number): Promise<number[]>;
    };
  }
}

const ours = (name: string): string => join(PROJECT, 'tests/bench/page', name);

/** Opens a page with a stored user name that watches its grid. */
export async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.addInitScript({ path: ours('watch.js') });
  return page;
}

/** Returns the start and the last byte of the last request for a path, as times. */
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

/** Returns the expression of a date grouped by a unit of time, which is a column in the page. */
function expressionsOf(name: string): Record<string, string> {
  const [, date, unit] = GROUPED.exec(name) ?? [];
  return date !== undefined && isTimeUnit(unit) ? groupedBy(date, unit).expressions : {};
}

/**
 * Returns the view of the page. The rows from the service have no columns of months: there, months are
 * expressions.
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

/** Returns the memory of all renderer processes of the browser, in bytes. */
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

/** The engine in an otherwise empty page, in a browser process of its own. */
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

  /** Provides an Arrow stream to load from memory. */
  give(name: string, bytes: Uint8Array): void {
    this.bytes.set(`/bytes/${encodeURIComponent(name)}`, bytes);
  }

  /** Returns the time to load given bytes and to make a view of them, in ms. */
  loading(name: string, arranged: Arranged): Promise<number> {
    return this.measured(name, null, arranged);
  }

  /** Returns the time to add bytes to a table with a view, in ms. */
  updating(name: string, more: string, arranged: Arranged): Promise<number> {
    return this.measured(name, more, arranged);
  }

  /** Returns the time to make a view of a table that has the given bytes, in ms. */
  viewing(name: string, arranged: Arranged): Promise<number> {
    return this.page.evaluate((asked) => window.engine.viewed(asked.name, asked.arranged), {
      name,
      arranged,
    });
  }

  /** Repeats {@link updating} in one table; the added rows are removed again after each addition. */
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
