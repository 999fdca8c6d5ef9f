/** Reads the announcements of the pivot page, and does what the cases ask of it. */
import type { Request } from '@playwright/test';
import type { HuntPage } from '../page';
import type { TypedField } from './round';

/** The texts of the field over a cell. */
export interface SeenEditor {
  /** Whether an amount can be typed; otherwise `meaning` says why not. */
  isOpen: boolean;
  meaning: string | null;
  caution: string | null;
  /** The chosen spread; null if the amount has none. */
  spread: string | null;
  /** The number of measures that can change for a result. */
  ways: number;
  /** The models for an empty cell: name and total. Null if the cell has rows. */
  models: [name: string, total: string][] | null;
}

/** The texts of the panel of a trial. */
export interface SeenTrial {
  text: string;
  totals: [measure: string, text: string][];
  /** The heading above the totals on screen. */
  heading: string;
  onScreen: [name: string, text: string][];
  biggest: { heading: string; leaves: [leaf: string, text: string][] }[];
}

/** All announcements on the page. */
export interface Announced {
  /** Totals of the selection by measure, as texts. */
  totals: Record<string, string>;
  rows: string | null;
  held: string | null;
  /** The fields of the form by their labels. */
  fields: Record<string, string>;
  button: string | null;
  extent: string | null;
  price: string | null;
  remainder: string | null;
  caution: string | null;
  /** Amounts that the service computes from a percentage. */
  computed: string | null;
  body: string | null;
  /** Why Apply is disabled; null if it is enabled. */
  obstacle: string | null;
  /** The chosen spread; null if the amount has none. */
  spread: string | null;
  holdPrice: boolean | null;
  tab: string | null;
  editor: SeenEditor | null;
  trial: SeenTrial | null;
  /** Why the last block was not written. */
  refusal: string | null;
  locks: number;
}

/** Runs in the page. */
function read(): Announced {
  const find = (selector: string, within: ParentNode = document) => within.querySelector(selector);
  const text = (selector: string, within?: ParentNode) =>
    find(selector, within)?.textContent?.replace(/\s+/g, ' ').trim() ?? null;
  const panel = find('aside.panel') ?? document;
  const apply = find('.apply button[type=submit]', panel) as HTMLButtonElement | null;
  const itemsOf = (list: Element): [string, string][] =>
    [...list.querySelectorAll('li')].map((item) => [
      item.querySelector('span')?.title || (item.querySelector('span')?.textContent ?? ''),
      item.querySelector('b')?.textContent ?? '',
    ]);
  const items = (selector: string) => [...document.querySelectorAll(selector)].flatMap(itemsOf);
  const editor = find('.frame .editor');
  const trial = find('section.trial');
  const held = find('.price input[type=checkbox]', panel) as HTMLInputElement | null;
  const models = editor && find('.likenesses', editor);
  const isEmptyCell = editor?.textContent?.includes('This cell has no rows yet') ?? false;
  return {
    totals: Object.fromEntries(
      [...document.querySelectorAll('[data-testid=totals] dt')].map((name) => [
        name.textContent ?? '',
        name.nextElementSibling?.textContent?.trim() ?? '',
      ]),
    ),
    rows: text('[data-testid=row-count]'),
    held: text('[data-testid=held]'),
    fields: Object.fromEntries(
      [...panel.querySelectorAll<HTMLInputElement>('.fields input')].map((input) => [
        input.getAttribute('aria-label') ?? '',
        input.value,
      ]),
    ),
    button: apply?.textContent?.replace(/\s+/g, ' ').trim() ?? null,
    extent: text('[data-testid=extent]'),
    price: text('[data-testid=price]'),
    remainder: text('[data-testid=remainder]'),
    caution: text('[data-testid=caution]', panel),
    computed: text('details p code', panel),
    body: text('details pre code', panel),
    obstacle: apply?.disabled === false ? null : text('#apply-obstacle'),
    spread: (find('#spread', panel) as HTMLSelectElement | null)?.value ?? null,
    holdPrice: held?.checked ?? null,
    tab: text('[role=tab][aria-selected=true]', panel),
    editor: editor && {
      isOpen: find('input', editor) !== null,
      meaning: text('#cell-meaning', editor),
      caution: text('[data-testid=caution]', editor),
      spread: (find('#cell-spread', editor) as HTMLSelectElement | null)?.value ?? null,
      ways: editor.querySelectorAll('#cell-ways li').length,
      models: !isEmptyCell
        ? null
        : [...(models?.querySelectorAll('li') ?? [])].map((item) => {
            const [name, total] = item.querySelectorAll('span');
            return [name?.textContent ?? '', total?.textContent ?? ''];
          }),
    },
    trial: trial && {
      text: trial.textContent?.replace(/\s+/g, ' ') ?? '',
      totals: [...trial.querySelectorAll('[data-testid=tried-totals] dt')].map((name) => [
        name.textContent ?? '',
        name.nextElementSibling?.textContent?.trim() ?? '',
      ]),
      heading: find('[data-testid=tried-on-screen]')?.previousElementSibling?.textContent ?? '',
      onScreen: items('[data-testid=tried-on-screen]'),
      biggest: [...document.querySelectorAll('[data-testid=tried-biggest]')].map((list) => ({
        heading: list.previousElementSibling?.textContent ?? '',
        leaves: itemsOf(list),
      })),
    },
    refusal: text('[data-testid=marked] .refusal'),
    locks: Number(/\d+/.exec(text('button[aria-label=Locks]') ?? '')?.[0] ?? 0),
  };
}

/** A request that changes something stored, or would, and its answer. */
export interface Sent {
  path: string;
  body: Record<string, unknown>;
  status: number;
  /** The sentence of an error; empty for a success. */
  error: string;
}

const DONE = /^(Scaled|Recoded|Cloned|Undone|Redone)\b/;
/** Writes of an operation, and the preview of the list of tried changes. */
const WRITES = /\/versions\/\d+\/(scale|recode|clone|preview)(\?|$)/;

/** Returns the request of an operation. Of a list of tried changes, that is the newest one. */
function operationIn(request: Request): Pick<Sent, 'path' | 'body'> {
  const { pathname } = new URL(request.url());
  const body = request.postDataJSON() as Record<string, unknown>;
  const tried = (body.operations as Record<string, unknown>[] | undefined)?.at(-1);
  if (!tried) return { path: pathname, body };
  const { operation, ...rest } = tried;
  return { path: pathname.replace(/preview$/, String(operation)), body: rest };
}

/** The announcements of a page, and its gestures. */
export class AnnouncingPage {
  constructor(readonly hunt: HuntPage) {}

  read(): Promise<Announced> {
    return this.hunt.page.evaluate(read);
  }

  /** Reads the announcements once the service has answered everything that the page asked. */
  async settled(): Promise<Announced> {
    await this.hunt.quiet();
    await this.hunt.frames();
    await this.hunt.quiet();
    return this.read();
  }

  /** Waits until the page knows a number of locks. */
  async knowsLocks(count: number): Promise<void> {
    const deadline = Date.now() + 10_000;
    while ((await this.read()).locks !== count) {
      if (Date.now() > deadline) throw new Error(`The page does not show ${count} locks`);
      await this.hunt.page.waitForTimeout(10);
    }
  }

  /** Discards the changes that are being tried, if there are any. */
  async discardTrial(): Promise<void> {
    const { page } = this.hunt;
    const trial = page.locator('section.trial');
    if ((await trial.count()) === 0) return;
    await trial.getByRole('button', { name: /^Discard/ }).click();
    await trial.waitFor({ state: 'detached' });
    await this.hunt.idle();
  }

  private get panel() {
    return this.hunt.panel;
  }

  async openTab(name: 'Scale' | 'Recode' | 'Clone', { tab }: Announced): Promise<void> {
    if (tab !== null && tab !== name) await this.panel.getByRole('tab', { name }).click();
  }

  /** Sets the form's choices that also apply to typing into cells. */
  async set(spread: string, holdPrice: boolean, now: Announced): Promise<void> {
    if (now.spread !== null && now.spread !== spread) {
      await this.panel.getByLabel('Spread', { exact: true }).selectOption(spread);
    }
    if (now.holdPrice !== null && now.holdPrice !== holdPrice) {
      await this.panel.getByLabel('Hold price').setChecked(holdPrice);
    }
  }

  async fillFields(fields: readonly TypedField[]): Promise<void> {
    for (const { measure, by, text } of fields) {
      await this.panel.getByLabel(`${measure}: ${by}`, { exact: true }).fill(text);
    }
  }

  /** Confirms the caution of the form: by its check, or by spreading equally. */
  async confirm(): Promise<void> {
    const check = this.panel.getByLabel('Apply it anyway');
    if (await check.isVisible()) await check.check();
    else await this.panel.getByRole('button', { name: 'Spread equally' }).click();
  }

  /** Pastes a text into the grid as the browser does after Ctrl+V. */
  async paste(text: string): Promise<void> {
    await this.hunt.page
      .locator('perspective-viewer-pivot-grid regular-table')
      .evaluate((grid, copied) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', copied);
        grid.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true }),
        );
      }, text);
  }

  /**
   * Confirms the preview of a pasted block, or leaves it if some cells cannot be written.
   *
   * @returns why cells cannot be written; null if there is no preview, or if it was confirmed
   */
  private async answerPreview(): Promise<string | null> {
    const { page } = this.hunt;
    const preview = page.getByRole('dialog', { name: /^Paste / });
    if (!(await preview.isVisible())) return null;
    const fault = preview.getByText(/^Not written: /);
    const said = (await fault.isVisible()) ? await fault.innerText() : null;
    await page.keyboard.press(said === null ? 'Enter' : 'Escape');
    await preview.waitFor({ state: 'hidden' });
    return said;
  }

  /**
   * Does something that writes or tries, and waits for the answer, or until the page says why nothing is sent.
   *
   * @returns the request; null with the page's sentence if there is none
   */
  async sending(act: () => Promise<unknown>): Promise<{ sent: Sent | null; said: string | null }> {
    const { page } = this.hunt;
    const toasts = (await this.hunt.toasts()).length;
    const made: Request[] = [];
    const onRequest = (request: Request) => {
      if (request.method() === 'POST' && WRITES.test(request.url())) made.push(request);
    };
    page.on('request', onRequest);
    try {
      await act();
      const deadline = Date.now() + 10_000;
      let since = Date.now();
      while (made.length === 0) {
        // The page may say late that the write before was a success.
        const refusals = (await this.hunt.toasts()).slice(toasts).filter((t) => !DONE.test(t));
        const fault = await this.answerPreview();
        if (fault !== null) return { sent: null, said: fault };
        const said = refusals.at(-1) ?? (await this.read()).refusal;
        if (said && Date.now() - since > 60) return { sent: null, said };
        if (!said) since = Date.now();
        if (Date.now() > deadline) return { sent: null, said: null };
        await page.waitForTimeout(10);
      }
    } finally {
      page.off('request', onRequest);
    }
    const [request] = made as [Request];
    const response = await request.response();
    const status = response?.status() ?? 0;
    const error = status >= 400 ? ((await response?.json()) as { error: string }).error : '';
    return { sent: { ...operationIn(request), status, error }, said: null };
  }
}
