/** Pages that a worker keeps from test to test: their engine is compiled, and the next test goes on in them. */
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
} from '@playwright/test';

/** A page of the app without a version or source: to open it ends the page of a test. */
const REST = '/versions/none';

/** Number of pages that a worker keeps, the last used ones. Each has some hundred megabytes. */
const MOST = 5;

/** Options of a context that a page can take on between two tests. */
type Look = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'reducedMotion'>;

/**
 * What a document may have at rest. The page of a version has some 2,000 nodes and 70 listeners; the last one may
 * stay until the next.
 */
const MOST_LISTENERS = 600;
const MOST_NODES = 15_000;

/** The engine throws this where nobody can catch it if it still loads a table that is deleted. */
const BY_ENGINE = /null pointer passed to rust|take ownership of Rust value/;

/** What pages and contexts have in common with Node's emitters, which their types do not name. */
interface Emitter {
  listeners(event: string): unknown[];
  removeListener(event: string, listener: unknown): void;
}

/** The events whose listeners a test may have added. */
const EVENTS = [
  ...['close', 'console', 'crash', 'dialog', 'domcontentloaded', 'download', 'filechooser'],
  ...['frameattached', 'framedetached', 'framenavigated', 'load', 'page', 'pageerror', 'popup'],
  ...['request', 'requestfailed', 'requestfinished', 'response', 'websocket', 'worker', 'weberror'],
];

/** A page of a server, in a browser context of its own. */
export class KeptPage {
  /** Whether the page rests in a document that a test may go on in. */
  private rests = false;
  /** The stored texts that the test begins with. */
  private stored: Record<string, string> = {};
  private readonly scripts: { dispose(): Promise<void> }[] = [];
  private readonly headers: (() => Promise<void>)[] = [];
  private readonly addScript: Page['addInitScript'];
  private readonly streams = new Set<object>();
  private readonly own: [Emitter, Map<string, unknown[]>][];
  private faults: string[] = [];
  /** Whether the test has added scripts or headers to its documents. */
  private isChanged = false;
  /** Whether the test has switched the network off. */
  private isOffline = false;

  private constructor(
    readonly page: Page,
    private readonly devtools: CDPSession,
    private readonly options: BrowserContextOptions,
  ) {
    page.on('pageerror', (error) => {
      if (!BY_ENGINE.test(error.message)) this.faults.push(`an error: ${error.stack ?? error}`);
    });
    page.on('request', (request) => {
      if (/\/api\/versions\/\d+\/events/.test(request.url())) this.streams.add(request);
    });
    page.on('requestfailed', (request) => this.streams.delete(request));
    page.on('requestfinished', (request) => this.streams.delete(request));
    this.addScript = page.addInitScript.bind(page);
    this.own = ([page, page.context()] as unknown[] as Emitter[]).map((emitter) => [
      emitter,
      listenersOf(emitter),
    ]);
    for (const target of [page, page.context()]) this.watch(target);
    const setOffline = page.context().setOffline.bind(page.context());
    page.context().setOffline = (isOffline) => {
      this.isOffline = isOffline;
      return setOffline(isOffline);
    };
    pages.set(page, this);
  }

  static async open(browser: Browser, options: BrowserContextOptions): Promise<KeptPage> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable');
    return new KeptPage(page, devtools, options);
  }

  /** Whether the page rests between two tests, in whose storage a test can still put texts. */
  get isUnused(): boolean {
    return this.rests || this.page.url() === 'about:blank';
  }

  /** Stores a text before the page is visited; null removes it. */
  store(key: string, text: string | null): void {
    if (text === null) delete this.stored[key];
    else this.stored[key] = text;
  }

  /** Gives the page the window and the settings of the test that takes it. */
  async show({ viewport, colorScheme, reducedMotion }: Look): Promise<void> {
    await this.page.emulateMedia({
      media: null,
      colorScheme: colorScheme ?? 'light',
      reducedMotion: reducedMotion ?? 'no-preference',
    });
    await this.page.setViewportSize(viewport ?? { width: 1440, height: 900 });
  }

  /** Opens a page of the app: by a link if it rests in a document that a test may go on in. */
  async visit(path: string): Promise<void> {
    const { page, stored } = this;
    if (this.rests && !this.isChanged && isBeside(path, page.url())) {
      this.rests = false;
      await page.evaluate((texts) => {
        Object.assign(localStorage, texts);
        // The document reads name, theme and details again, as after a change in another tab.
        window.dispatchEvent(new StorageEvent('storage'));
      }, stored);
      await this.follow(path);
      return;
    }
    this.rests = false;
    const script = await this.addScript((texts) => Object.assign(localStorage, texts), stored);
    await page.goto(path);
    await script.dispose();
  }

  /**
   * Leaves the page after a test, for the next one.
   * @returns what the test left behind
   */
  async leave(): Promise<string[]> {
    const { page, devtools } = this;
    const context = page.context();
    const isVisited = page.url() !== 'about:blank';
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const [emitter, own] of this.own) removeOthers(emitter, own);
    await Promise.all(this.scripts.splice(0).map((script) => script.dispose()));
    // With the network back, the document would write its unsaved amounts, perhaps into the database of the next test.
    if (isVisited && this.isOffline) await page.goto('about:blank');
    await Promise.all([
      page.unrouteAll({ behavior: 'ignoreErrors' }),
      context.unrouteAll({ behavior: 'ignoreErrors' }),
      ...this.headers.splice(0).map((reset) => reset()),
      context.setOffline(false),
      devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 }),
      context.clearPermissions(),
      context.clearCookies(),
    ]);
    this.stored = {};
    if (!isVisited) return this.faults.splice(0);
    await this.rest();
    return [...this.faults.splice(0), ...(await this.remains())];
  }

  /** Goes to the page without a version, and clears the storage. */
  private async rest(): Promise<void> {
    const { page, options } = this;
    await page.mouse.up();
    for (const key of ['Control', 'Shift', 'Alt', 'Meta']) await page.keyboard.up(key);
    await page.mouse.move(0, 0);
    // A new document drops what the scripts of a test have changed, and entered texts that a link would ask about.
    const needsDocument =
      this.isChanged || !isBeside(REST, page.url(), options.baseURL) || (await asksFirst(page));
    if (needsDocument) await page.goto(REST);
    else await this.follow(REST).catch(() => page.goto(REST));
    await page.getByRole('heading', { name: /^(Not found|You are not signed in)$/ }).waitFor();
    const dialogs = await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
      return document.querySelectorAll('[role=dialog], [role=menu], dialog[open]').length;
    });
    this.rests = dialogs === 0;
    this.isChanged = false;
  }

  /** What is in the document at rest although it should be gone. */
  private async remains(): Promise<string[]> {
    const { page, devtools, streams } = this;
    const replaced = await page.evaluate(() =>
      [navigator, navigator.clipboard].flatMap((object) => Object.keys(object)),
    );
    // Streams and workers of the page that was left end soon.
    for (let i = 0; i < 100 && (streams.size > 0 || page.workers().length > 1); i += 1) {
      await page.waitForTimeout(50);
    }
    let { listeners, nodes } = await this.counts();
    if (listeners > MOST_LISTENERS || nodes > MOST_NODES) {
      // Garbage is counted too. To collect it after each test would take longer than some tests.
      await devtools.send('HeapProfiler.collectGarbage');
      ({ listeners, nodes } = await this.counts());
    }
    return [
      ...replaced.map((name) => `a replaced function: ${name}`),
      ...(streams.size > 0 ? [`${streams.size} streams of events`] : []),
      ...(page.workers().length > 1 ? [`${page.workers().length} workers`] : []),
      ...(listeners > MOST_LISTENERS ? [`${listeners} listeners, with the tests before`] : []),
      ...(nodes > MOST_NODES ? [`${nodes} nodes, with the tests before`] : []),
    ];
  }

  /** Numbers of listeners and nodes of the page, with those that are garbage. */
  private async counts(): Promise<{ listeners: number; nodes: number }> {
    const { metrics } = await this.devtools.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { listeners: of('JSEventListeners'), nodes: of('Nodes') };
  }

  /** Clicks a link to a path, which the router of the app takes. */
  private async follow(path: string): Promise<void> {
    await this.page.evaluate((href) => {
      const link = document.body.appendChild(document.createElement('a'));
      link.href = href;
      link.click();
      link.remove();
    }, path);
    const { pathname } = new URL(path, this.page.url());
    await this.page.waitForURL((url) => url.pathname === pathname, { timeout: 30_000 });
  }

  /** Notes what changes the documents of a test: neither it nor the next one can go on in one from before. */
  private watch(target: Page | BrowserContext): void {
    const addInitScript = target.addInitScript.bind(target) as AddScript;
    const setExtraHTTPHeaders = target.setExtraHTTPHeaders.bind(target);
    Object.assign(target, {
      addInitScript: async (...script: unknown[]) => {
        this.isChanged = true;
        const added = await addInitScript(...script);
        this.scripts.push(added);
        return added;
      },
      setExtraHTTPHeaders: (headers: Record<string, string>) => {
        this.isChanged = true;
        this.headers.push(() => setExtraHTTPHeaders({}));
        return setExtraHTTPHeaders(headers);
      },
    });
  }
}

type AddScript = (...script: unknown[]) => Promise<{ dispose(): Promise<void> }>;

/** Whether the server of the open page serves a path, so that a link in the page can open it. */
const isBeside = (path: string, url: string, server = url): boolean =>
  new URL(path, server).origin === new URL(url).origin;

/** Whether an open page asks about something entered before it is left. */
const asksFirst = (page: Page): Promise<boolean> =>
  page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));

const pages = new WeakMap<Page, KeptPage>();

/** Opens a page of the app; in a test without a server of its own, by a link where that is possible. */
export async function visit(page: Page, path: string): Promise<void> {
  const kept = pages.get(page);
  if (kept?.isUnused) await kept.visit(path);
  else await page.goto(path);
}

/** Stores a text in the browser before its pages are opened; null removes it. */
export async function storeText(page: Page, key: string, text: string | null): Promise<void> {
  const kept = pages.get(page);
  if (kept?.isUnused) kept.store(key, text);
  else if (text === null) await page.addInitScript((name) => localStorage.removeItem(name), key);
  else
    await page.addInitScript(([name, value]) => localStorage.setItem(name, value), [
      key,
      text,
    ] as const);
}

const listenersOf = (emitter: Emitter): Map<string, unknown[]> =>
  new Map(EVENTS.map((event) => [event, emitter.listeners(event)]));

function removeOthers(emitter: Emitter, own: Map<string, unknown[]>): void {
  for (const [event, listeners] of own) {
    for (const listener of emitter.listeners(event)) {
      if (!listeners.includes(listener)) emitter.removeListener(event, listener);
    }
  }
}

/** The pages of a worker, one for each server and the options that only a new context takes on. */
export class KeptPages {
  private readonly kept = new Map<string, KeptPage>();

  async take(
    browser: Browser,
    { viewport, colorScheme, reducedMotion, ...options }: BrowserContextOptions,
  ): Promise<KeptPage> {
    const key = JSON.stringify(options);
    const page = this.kept.get(key) ?? (await KeptPage.open(browser, options));
    this.kept.delete(key);
    this.kept.set(key, page);
    for (const [oldest, { page }] of this.kept) {
      if (this.kept.size <= MOST) break;
      this.kept.delete(oldest);
      await page.context().close();
    }
    await page.show({ viewport, colorScheme, reducedMotion });
    return page;
  }

  /** Whether a context belongs to a page that is kept. */
  has(context: BrowserContext): boolean {
    return [...this.kept.values()].some(({ page }) => page.context() === context);
  }

  /** Closes a page that no other test may go on in. */
  async drop(dropped: KeptPage): Promise<void> {
    for (const [key, page] of this.kept) if (page === dropped) this.kept.delete(key);
    await dropped.page.context().close();
  }
}
