import type { Browser, Locator, Page } from '@playwright/test';
import { expect, storeText, visit } from '../support/e2e';

/** Names a cell: labels of its row, outermost first, and of its columns, the measure last. */
export interface CellName {
  /** [] is the total row. */
  row: string[];
  /** Absent for the row header. */
  column?: string[];
}

/** A cell on the screen: its name, position and text. */
export interface DrawnCell extends CellName {
  x: number;
  y: number;
  text: string;
}

const cellKey = ({ row, column }: CellName): string => JSON.stringify([row, column ?? null]);

/** Arranges the pivot from outside, through the engine's viewer. */
export const arrange = (page: Page, config: object) =>
  page
    .locator('perspective-viewer')
    .evaluate(
      (viewer, wanted) =>
        (viewer as unknown as { restore(config: object): Promise<void> }).restore(wanted),
      config,
    );

/** The pivot page from a planner's view. */
export class PivotPage {
  readonly grid: Locator;
  readonly panel: Locator;
  readonly slice: Locator;
  readonly apply: Locator;

  /** @param user the name under which the page writes */
  constructor(
    readonly page: Page,
    private readonly user = 'ana',
  ) {
    this.grid = page.locator('perspective-viewer-pivot-grid regular-table');
    this.panel = page.getByRole('complementary', { name: 'Selection and operation' });
    this.slice = page.getByTestId('slice');
    this.apply = this.panel.getByRole('button', { name: /^(Scale|Recode|Clone) [\d,]+ rows?$/ });
  }

  /** Opens a version and waits until its pivot is drawn. @param search the arrangement in the address */
  async open(versionId: number, search = ''): Promise<void> {
    await this.keepUser();
    await visit(this.page, `/versions/${versionId}${search}`);
    await this.drawn();
  }

  /** Blocks the events of this page, as if they were lost on the way. */
  async missEvents(): Promise<void> {
    await this.page.route('**/api/versions/*/events', (route) => route.abort());
  }

  /** Stores the user name for writes, so that the page does not ask for it. */
  async keepUser(name = this.user): Promise<void> {
    await storeText(this.page, 'pf.user', name);
  }

  /** Shows requests and SQL from the next opening on. */
  async showTechnical(): Promise<void> {
    await storeText(this.page, 'pf.technical', 'shown');
  }

  /** Returns where the first toast ends now, in pixels from the top; it slides in. */
  async toastBottom(): Promise<number> {
    const box = await this.page.locator('[data-sonner-toast]').first().boundingBox();
    return box ? box.y + box.height : Infinity;
  }

  async drawn(): Promise<void> {
    await expect(this.grid.locator('tbody td').first()).toBeVisible();
    await expect(this.page.getByRole('progressbar')).toHaveCount(0);
  }

  /** Returns the cells and row headers on screen, with their texts and positions. */
  async cells(): Promise<DrawnCell[]> {
    return this.grid.evaluate((grid) => {
      type Meta = { column_header?: HTMLElement[] };
      // A measure with a label is found by its name.
      const headsOf = (cell: Element) =>
        (
          (grid as unknown as { getMeta(cell: Element): Meta | undefined }).getMeta(cell)
            ?.column_header ?? []
        ).map((part) => part.dataset.measure ?? (part.textContent ?? '').trim());
      const path: string[] = [];
      return [...grid.querySelectorAll<HTMLElement>('tbody tr')].flatMap((tr) => {
        const header = tr.querySelector('th');
        // The first level is the total row, followed by the others.
        const level = Number(tr.dataset.level ?? 0);
        path.length = Math.max(level, 0);
        if (level > 0) path[level - 1] = (header?.textContent ?? '').trim();
        const row = [...path];
        return [...(header ? [header] : []), ...tr.querySelectorAll('td')].map((cell) => {
          const box = cell.getBoundingClientRect();
          const isHeader = cell === header;
          return {
            row,
            ...(!isHeader && { column: headsOf(cell) }),
            x: isHeader ? box.right - 12 : box.x + box.width / 2,
            y: box.y + box.height / 2,
            text: cell.textContent ?? '',
          };
        });
      });
    });
  }

  /** Returns a cell on the screen; null if it is not drawn. */
  async find(wanted: CellName): Promise<DrawnCell | null> {
    const key = cellKey(wanted);
    return (await this.cells()).find((cell) => cellKey(cell) === key) ?? null;
  }

  /** Returns a cell on the screen with nothing above it; null if there is none. */
  private async uncovered(wanted: CellName): Promise<DrawnCell | null> {
    const cell = await this.find(wanted);
    if (!cell) return null;
    const isOnTop = await this.grid.evaluate((grid, { x, y }) => {
      const top = (grid.getRootNode() as ShadowRoot).elementFromPoint(x, y);
      return top !== null && grid.contains(top);
    }, cell);
    return isOnTop ? cell : null;
  }

  /** Returns the text of a cell. */
  async text(cell: CellName): Promise<string | null> {
    return (await this.find(cell))?.text ?? null;
  }

  /** Returns the number of a cell. */
  async number(cell: CellName): Promise<number> {
    return Number((await this.text(cell))?.replaceAll(',', ''));
  }

  /** Clicks a cell, or adds it with Ctrl, and waits until the panel shows the selection with it. */
  async click(cell: CellName, how: { ctrl?: boolean } = {}): Promise<void> {
    await this.press(cell, how);
    await expect(this.panel).not.toHaveAttribute('aria-busy', 'true');
    await expect(this.slice).toBeVisible();
  }

  /**
   * Clicks a cell, or adds or removes it with Ctrl, without waiting for the result. A dialog that is still
   * closing covers the cell and would take the click: the cell is clicked once it is uncovered.
   */
  async press(cell: CellName, { ctrl = false } = {}): Promise<void> {
    const at = await polled(() => this.uncovered(cell), `cell ${JSON.stringify(cell)}`);
    if (ctrl) await this.page.keyboard.down('Control');
    await this.page.mouse.click(at.x, at.y);
    if (ctrl) await this.page.keyboard.up('Control');
  }

  /** Drags the corner of the marked block to a cell. @param end releases the button, or does something before */
  async dragCorner(to: CellName, end = () => this.page.mouse.up()): Promise<void> {
    const corner = this.grid.locator('td.pf-handle');
    await expect(corner).toHaveCount(1);
    const target = await polled(() => this.find(to), `cell ${JSON.stringify(to)}`);
    const box = await polled(() => corner.boundingBox(), 'the corner of the marked block');
    await this.page.mouse.move(box.x + box.width - 3, box.y + box.height - 3);
    await this.page.mouse.down();
    await this.page.mouse.move(target.x, target.y, { steps: 6 });
    await end();
  }

  /** Presses the +/− of a row. */
  async toggle(...row: string[]): Promise<void> {
    const header = this.grid.locator('tbody th', { hasText: row.at(-1) ?? '' });
    const box = await polled(() => header.boundingBox(), `row ${row.join(', ')}`);
    await this.page.mouse.click(box.x + 20 * row.length + 10, box.y + box.height / 2);
  }

  /** Scales the value of the selection by a percentage and waits until it is written. */
  async scaleValue(percent: number): Promise<void> {
    await this.type('Percent', String(percent));
    await this.apply.click();
    await expect(this.page.getByText(/^Scaled: /)).toBeVisible();
  }

  /** Returns the field for a column's new value in the recode form. */
  async newValue(column: string): Promise<Locator> {
    await this.panel.getByRole('tab', { name: 'Recode' }).click();
    return this.panel.getByLabel(`New ${column}`, { exact: true });
  }

  /** Undoes the last change of this page and waits for the result. */
  async undo(): Promise<void> {
    await this.page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(this.page.getByText(/^Undone: /)).toBeVisible();
  }

  /** Types into a field of the value measure key by key, replacing its text. */
  async type(label: 'New total' | 'Change' | 'Percent', text: string): Promise<void> {
    const field = this.panel.getByLabel(new RegExp(`: ${label}$`)).first();
    await field.click();
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.press('Delete');
    await field.pressSequentially(text);
  }

  /** Opens and returns the log. */
  async log(): Promise<Locator> {
    const drawer = this.page.getByRole('region', { name: 'Log', exact: true });
    if (!(await drawer.isVisible())) {
      await this.page.getByRole('button', { name: /^Log/ }).click();
    }
    return drawer;
  }
}

/** Opens version 1, or the address of a pivot, as somebody who has a browser of their own. */
export async function openAs(
  browser: Browser,
  url: string,
  name: string,
  address = '/versions/1',
): Promise<PivotPage> {
  const context = await browser.newContext({ baseURL: url });
  const pivot = new PivotPage(await context.newPage(), name);
  await pivot.keepUser();
  await pivot.page.goto(address);
  await pivot.drawn();
  return pivot;
}

/** Asks until there is an answer, as the grid may be redrawn meanwhile. @param message names what is looked for */
async function polled<T>(ask: () => Promise<T | null>, message: string): Promise<T> {
  let found: T | null = null;
  await expect.poll(async () => (found = await ask()), { message }).not.toBeNull();
  if (found === null) throw new Error(`Not found: ${message}.`);
  return found;
}
