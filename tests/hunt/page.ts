/** The pivot page under a real mouse and keyboard. */
import type { Page, Request } from '@playwright/test';
import { choiceText } from '../../src/lib/components/ui/choice-text';
import type { Asked } from './oracle';
import { Refused } from './outcome';
import { watch, type Point, type Pressed, type Said, type Seen } from './watch';

/** The pivot page under a real mouse and keyboard, through what a planner sees and presses alone. */
export class HuntPage {
  /** Errors that the page threw. */
  readonly errors: string[] = [];
  private asked = 0;
  private open = 0;
  /** How many presses of cells the page had seen before the last one. */
  private presses = 0;

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    page.on('pageerror', (error) => {
      // The engine's own grid may ask a view that was just replaced, and the engine fails to bring a
      // change to an expression that looks up other rows. What is drawn after it counts.
      const isHarmless = /View not found|clients\.get/.test(error.message);
      if (!isHarmless) this.errors.push(error.message);
    });
    const isPreview = (request: Request) => request.url().endsWith('/slice');
    page.on('request', (request) => {
      if (!isPreview(request)) return;
      this.asked++;
      this.open++;
    });
    const ended = (request: Request) => isPreview(request) && this.open--;
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
  }

  static async on(page: Page, url: string): Promise<HuntPage> {
    // What runs TypeScript for the command line marks functions with this name, which a page lacks.
    await page.addInitScript('globalThis.__name = (made) => made');
    await page.addInitScript(watch);
    const hunt = new HuntPage(page, url);
    await hunt.load();
    return hunt;
  }

  /** Loads the product anew, at its home page. */
  async load(): Promise<void> {
    await this.page.goto(this.url, { timeout: 120_000 });
  }

  /**
   * Follows a link to a version, without loading the page anew, and waits until it is drawn.
   *
   * @returns whether the page says that no rows match the filters
   */
  async visit(version: number): Promise<{ isEmpty: boolean }> {
    await this.page.evaluate((path) => {
      const link = document.createElement('a');
      link.href = path;
      document.body.append(link);
      link.click();
      link.remove();
    }, `/versions/${version}`);
    await this.page.waitForURL(`${this.url}/versions/${version}`);
    // An empty pivot draws no cells, but its grid all the same.
    const drawn = this.page.locator('perspective-viewer-pivot-grid regular-table');
    await drawn.waitFor({ state: 'attached', timeout: 90_000 });
    // What says that the rows are loading covers the first drawing.
    const cover = this.page.locator('.stage .cover');
    const empty = cover.getByRole('heading', { name: 'No rows match the filters' });
    const isEmpty = await Promise.race([
      cover.waitFor({ state: 'detached', timeout: 90_000 }).then(() => false),
      empty.waitFor({ timeout: 90_000 }).then(() => true),
    ]);
    await this.frames();
    return { isEmpty };
  }

  look(): Promise<Seen> {
    return this.page.evaluate(() => window.hunted.look());
  }

  private listen(): Promise<Said> {
    return this.page.evaluate(() => window.hunted.listen());
  }

  /** Waits until no totals of a slice are being asked for. */
  async quiet(): Promise<void> {
    while (this.open > 0) await this.page.waitForTimeout(5);
  }

  /** Lets the page draw what it has. */
  async frames(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  }

  async press({ x, y }: Point, { ctrl = false } = {}): Promise<void> {
    this.presses = await this.page.evaluate(() => window.hunted.pressed.length);
    if (ctrl) await this.page.keyboard.down('Control');
    await this.page.mouse.click(x, y);
    if (ctrl) await this.page.keyboard.up('Control');
  }

  /** What the mouse pressed last. @throws Refused if it pressed no cell: the one that was aimed at had just gone */
  async lastPressed(): Promise<Pressed> {
    const pressed = await this.page.evaluate(
      (since) => window.hunted.pressed.slice(since),
      this.presses,
    );
    const last = pressed.at(-1);
    if (!last) throw new Refused('the cell that was aimed at had gone');
    return last;
  }

  toasts(): Promise<string[]> {
    return this.page.evaluate(() => window.hunted.toasts);
  }

  /**
   * Does something that selects and waits until the panel says what is selected: its totals, why it
   * cannot be changed, that it is no one slice, or that nothing is.
   */
  async selecting(act: () => Promise<unknown>): Promise<Seen> {
    const asked = this.asked;
    const toasts = (await this.toasts()).length;
    // An obstacle of before stands until the page has read what is pressed now.
    const before = await this.listen();
    const readIn = before.refused ? 600 : 40;
    const start = Date.now();
    await act();
    for (;;) {
      const said = await this.listen();
      const waited = Date.now() - start;
      const isQuiet = this.open === 0;
      if (
        (isQuiet && said.refused && waited > readIn) ||
        (isQuiet && said.apart && !before.apart) ||
        // What was added up before is not asked for again.
        (isQuiet && before.apart && said.added && waited > 300) ||
        (isQuiet && said.added && this.asked > asked) ||
        (isQuiet && (await this.toasts()).length > toasts) ||
        (!said.selected && waited > 3_000) ||
        waited > 30_000
      ) {
        return this.look();
      }
      await this.page.waitForTimeout(25);
    }
  }

  /** The panel beside the pivot. */
  get panel() {
    return this.page.getByRole('complementary', { name: 'Selection and operation' });
  }

  async focusGrid(): Promise<void> {
    await this.page
      .locator('perspective-viewer-pivot-grid regular-table')
      .evaluate((grid) => (grid as HTMLElement).focus());
  }

  /** Fills in the new values of a recode or clone. */
  async fillSet(set: Record<string, string | null>): Promise<void> {
    for (const [column, value] of Object.entries(set)) {
      const field = this.panel.getByLabel(`New ${column}`, { exact: true });
      await field.fill(choiceText(value));
      await field.press('Tab');
    }
  }

  async fillFactor(factor: number | string): Promise<void> {
    await this.panel.getByLabel('Factor', { exact: true }).fill(String(factor));
  }

  /** Fills in the form of an operation. */
  async fill(asked: Asked): Promise<void> {
    const { panel } = this;
    const tab = panel.getByRole('tab', { name: TABS[asked.kind] });
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
    if (asked.kind === 'scale') {
      const field = `${asked.measure}: ${asked.by}`;
      await panel.getByLabel(field, { exact: true }).fill(String(asked.amount));
    } else if (asked.kind === 'clone') {
      await this.fillFactor(asked.factor);
    } else await this.fillSet(asked.set);
  }

  /** Takes back what is in the form. */
  async empty(): Promise<void> {
    const { panel } = this;
    for (const keep of await panel.getByRole('button', { name: /^Keep / }).all())
      await keep.click();
    for (const field of await panel.getByLabel(/: (Percent|Change|New total)$/).all()) {
      await field.fill('');
    }
  }

  /**
   * Applies by Ctrl+Enter and waits for what comes of it.
   *
   * @returns the body that was sent and the answer's status; null if nothing was sent
   */
  async apply(): Promise<{ body: Record<string, unknown>; status: number } | null> {
    const toasts = (await this.toasts()).length;
    const sent = this.page
      .waitForRequest((request) => OPERATION.test(request.url()), { timeout: 8_000 })
      .catch(() => null);
    let isOver = false;
    void sent.then(() => (isOver = true));
    await this.page.keyboard.press('Control+Enter');
    const request = await Promise.race([sent, this.refusal(toasts, () => isOver)]);
    isOver = true;
    if (!request) return null;
    const response = await request.response();
    return {
      body: request.postDataJSON() as Record<string, unknown>,
      status: response?.status() ?? 0,
    };
  }

  /** Waits until the page has said for half a second why nothing is sent, or until all is over. */
  private async refusal(toasts: number, isOver: () => boolean): Promise<null> {
    let since = Date.now();
    while (!isOver() && Date.now() - since < 500) {
      await this.page.waitForTimeout(25);
      const { busy, obstacle } = await this.listen();
      const isSaid = obstacle !== null || (await this.toasts()).length > toasts;
      if (!isSaid || busy || this.open > 0) since = Date.now();
    }
    return null;
  }

  /** Waits until an operation or an undo is through. */
  async idle(): Promise<void> {
    await this.page.waitForFunction(() => !window.hunted.listen().busy, undefined, {
      timeout: 30_000,
    });
    await this.frames();
  }

  /** Undoes what this page wrote last. */
  async undo(): Promise<boolean> {
    const gone = this.page
      .waitForResponse((response) => response.request().method() === 'DELETE', { timeout: 30_000 })
      .catch(() => null);
    await this.focusGrid();
    await this.page.keyboard.press('Control+z');
    const response = await gone;
    return response !== null && response.ok();
  }
}

const TABS = { scale: 'Scale', recode: 'Recode', clone: 'Clone' } as const;
const OPERATION = /\/versions\/\d+\/(scale|recode|clone)$/;
