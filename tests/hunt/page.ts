import type { Page, Request } from '@playwright/test';
import { choiceText } from '../../src/lib/components/ui/choice-text';
import type { Asked } from './oracle';

/** A row on screen: its place and the labels down to it. */
export interface SeenRow {
  y: number;
  path: string[];
  /** Where a click selects the row, and where one opens or closes it; null if it has no rows below. */
  header: Point;
  icon: Point | null;
}

/** A number on screen: the labels of its row and of the split columns. */
export interface SeenCell {
  row: string[];
  column: string[];
  measure: string;
  text: string;
  marked: boolean;
  at: Point;
}

/** A header over columns. */
export interface SeenHead {
  at: Point;
}

export interface Point {
  x: number;
  y: number;
}

/** What was under the mouse when its button went down, as it was drawn then. */
export interface Pressed {
  place: 'body' | 'row' | 'head';
  /** Labels down to the row; none for the total row and for a head. */
  row: string[];
  /** Labels of the split columns; none for a row's header, the first ones for a head. */
  column: string[];
  /** Null unless a number was pressed. */
  measure: string | null;
  text: string;
}

/** What the page says beside the pivot. */
export interface Said {
  selected: boolean;
  /** The panel says that what is marked is no one slice, so no form can change it. */
  apart: boolean;
  /** The panel shows the totals of what is selected, or says why it cannot. */
  added: boolean;
  busy: boolean;
  /** Why Apply is off. */
  obstacle: string | null;
  /** Whether the obstacle is one of the selection, not of an empty form. */
  refused: boolean;
  /** What the page says of a change that reaches beyond the cell. */
  beyond: string | null;
  warning: string | null;
}

/** All that a planner sees of the pivot and of the panel beside it. */
export interface Seen extends Said {
  rows: SeenRow[];
  cells: SeenCell[];
  heads: SeenHead[];
}

/** What an init script leaves on the page for the hunt. */
interface Hunted {
  look(): Seen;
  /** A part of what {@link look} answers that costs no layout, for waiting. */
  listen(): Said;
  pressed: Pressed[];
  toasts: string[];
}

declare global {
  interface Window {
    hunted: Hunted;
  }
}

/** Runs in the page before anything of the product: sees what is drawn, as it is drawn. */
function watch(): void {
  const text = (node: Element | null | undefined) => node?.textContent ?? '';
  type Grid = Element & { getMeta(cell: Element): Meta | undefined };
  const grid = (): Grid | null => {
    const plugin = document.querySelector('perspective-viewer-pivot-grid');
    return ((plugin?.shadowRoot ?? plugin)?.querySelector('regular-table') as Grid | null) ?? null;
  };
  type Meta = {
    x?: number;
    y?: number;
    column_header?: Element[];
    column_header_y?: number;
  };
  const centre = (box: DOMRect) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

  /** Rows in their order; a row's header holds the label of its own level only. */
  function rowsOf(table: Grid) {
    const path: string[] = [];
    return [...table.querySelectorAll<HTMLElement>('tbody tr')].map((tr) => {
      const meta = table.getMeta(tr.querySelector('td') ?? (tr.firstElementChild as Element));
      const depth = Number(tr.dataset.level ?? -1);
      const header = tr.querySelector('th') ?? undefined;
      path.length = Math.max(depth, 0);
      if (depth > 0) path[depth - 1] = text(header);
      return { tr, y: meta?.y ?? -1, header, path: [...path] };
    });
  }

  const labelsOf = (table: Grid, td: Element) =>
    (table.getMeta(td)?.column_header ?? []).map((part) => text(part));

  /** The labels of the split columns down to a header; null for the name of a measure. */
  function headOf(table: Grid, th: Element): string[] | null {
    const meta = table.getMeta(th);
    const level = meta?.column_header_y;
    const below = [...table.querySelectorAll('tbody tr:first-child td')].find(
      (td) => table.getMeta(td)?.x === meta?.x,
    );
    if (level === undefined || !below) return null;
    const labels = labelsOf(table, below);
    return level < labels.length - 1 ? labels.slice(0, level + 1) : null;
  }

  function listen(): Said {
    return {
      selected: document.querySelector('[data-testid=slice]') !== null,
      apart: document.querySelector('[data-testid=apart]') !== null,
      added: document.querySelector('[data-testid=totals]:not(.old), .failure') !== null,
      busy: document.querySelector('.apply button[aria-busy=true]') !== null,
      obstacle: text(document.querySelector('#apply-obstacle')) || null,
      refused: document.querySelector('#apply-obstacle.refused') !== null,
      beyond: text(document.querySelector('aside.panel [role=note]')).replace(/\s+/g, ' ') || null,
      warning: text(document.querySelector('.banners')).trim() || null,
    };
  }

  function look(): Seen {
    const seen: Seen = { ...listen(), rows: [], cells: [], heads: [] };
    const table = grid();
    if (!table) return seen;
    const frame = table.getBoundingClientRect();
    // What lies outside the grid or under a message cannot be clicked.
    const inside = ({ x, y }: { x: number; y: number }) =>
      x > frame.x &&
      x < frame.right - 14 &&
      y > frame.y &&
      y < frame.bottom - 14 &&
      document.elementFromPoint(x, y)?.closest('[data-testid=pivot]') !== null;
    for (const { tr, y, header, path } of rowsOf(table)) {
      if (header) {
        const box = header.getBoundingClientRect();
        const middle = box.y + box.height / 2;
        const isTree = header.classList.contains('pf-tree');
        seen.rows.push({
          y,
          path,
          header: { x: box.right - 8, y: middle },
          icon: isTree ? { x: box.x + 10, y: middle } : null,
        });
      }
      for (const td of tr.querySelectorAll('td')) {
        const at = centre(td.getBoundingClientRect());
        if (!inside(at)) continue;
        const marked = td.classList.contains('pf-selected');
        const column = labelsOf(table, td);
        const measure = column.pop() ?? '';
        seen.cells.push({ row: path, column, measure, text: text(td), marked, at });
      }
    }
    seen.rows = seen.rows.filter((row) => inside(row.header));
    for (const th of table.querySelectorAll('thead th')) {
      const at = centre(th.getBoundingClientRect());
      // A press on the icon of a group would close it.
      const icon = th.querySelector('button')?.getBoundingClientRect();
      if (icon && at.x >= icon.left) at.x = Math.max(at.x, icon.right + 4);
      if (headOf(table, th) && inside(at)) seen.heads.push({ at });
    }
    return seen;
  }

  const pressed: Pressed[] = [];
  window.addEventListener(
    'mousedown',
    (event) => {
      const table = grid();
      const cell = event
        .composedPath()
        .find((n): n is Element => n instanceof Element && /^(TD|TH)$/.test(n.tagName));
      if (!table || !cell || !table.contains(cell)) return;
      const row = rowsOf(table).find((r) => r.tr === cell.closest('tr'))?.path ?? [];
      if (cell.tagName === 'TD') {
        const column = labelsOf(table, cell);
        const measure = column.pop() ?? null;
        pressed.push({ place: 'body', row, column, measure, text: text(cell) });
      } else {
        const column = headOf(table, cell);
        pressed.push({
          place: column ? 'head' : 'row',
          row,
          column: column ?? [],
          measure: null,
          text: text(cell),
        });
      }
    },
    { capture: true },
  );

  const toasts: string[] = [];
  const observer = new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes])) {
      if (!(node instanceof Element)) continue;
      const toast = node.matches('[data-sonner-toast]')
        ? node
        : node.querySelector('[data-sonner-toast]');
      if (toast) toasts.push(text(toast.querySelector('[data-title]') ?? toast));
    }
  });
  observer.observe(document, { childList: true, subtree: true });
  localStorage.setItem('pf.user', 'hunter');
  window.hunted = {
    look,
    listen,
    pressed,
    toasts,
  };
}

/** The pivot page under a real mouse and keyboard, through what a planner sees and presses alone. */
export class HuntPage {
  /** Errors that the page threw. */
  readonly errors: string[] = [];
  private asked = 0;
  private open = 0;

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

  /** Follows a link to a version, without loading the page anew, and waits until it is drawn. */
  async visit(version: number): Promise<void> {
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
    await this.page.locator('.stage .cover').waitFor({ state: 'detached', timeout: 90_000 });
    await this.frames();
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
    if (ctrl) await this.page.keyboard.down('Control');
    await this.page.mouse.click(x, y);
    if (ctrl) await this.page.keyboard.up('Control');
  }

  /** What the mouse pressed last. */
  async lastPressed(): Promise<Pressed> {
    const pressed = await this.page.evaluate(() => window.hunted.pressed.at(-1) ?? null);
    if (!pressed) throw new Error('The mouse pressed no cell');
    return pressed;
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
      await this.page.waitForTimeout(10);
    }
  }

  /** Fills in the form of an operation. */
  async fill(asked: Asked): Promise<void> {
    const panel = this.page.getByRole('complementary', { name: 'Selection and operation' });
    const tab = panel.getByRole('tab', { name: TABS[asked.kind] });
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
    if (asked.kind === 'scale') {
      const field = `${asked.measure}: ${asked.by}`;
      await panel.getByLabel(field, { exact: true }).fill(String(asked.amount));
    } else if (asked.kind === 'clone') {
      await panel.getByLabel('Factor', { exact: true }).fill(String(asked.factor));
    } else {
      for (const [column, value] of Object.entries(asked.set)) {
        const field = panel.getByLabel(`New ${column}`, { exact: true });
        await field.fill(choiceText(value));
        await field.press('Tab');
      }
    }
  }

  /** Takes back what is in the form. */
  async empty(): Promise<void> {
    const panel = this.page.getByRole('complementary', { name: 'Selection and operation' });
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
    await this.page
      .locator('perspective-viewer-pivot-grid regular-table')
      .evaluate((grid) => (grid as HTMLElement).focus());
    await this.page.keyboard.press('Control+z');
    const response = await gone;
    return response !== null && response.ok();
  }
}

const TABS = { scale: 'Scale', recode: 'Recode', clone: 'Clone' } as const;
const OPERATION = /\/versions\/\d+\/(scale|recode|clone)$/;
