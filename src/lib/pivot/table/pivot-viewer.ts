import type { Layout } from '../../contract/stored-layout';
import type { Viewer } from '../values/engine-types';
import type { TableViewer } from './table-viewer';
import type { ViewerLayout } from './viewer-layout';

const THEMES = { light: 'Pro Light', dark: 'Pro Dark' } as const;
const themeOf = (dark: boolean): string => (dark ? THEMES.dark : THEMES.light);

/** What the viewer needs to know of its pivot. */
interface ViewerOptions {
  /** The column the rows are indexed on. */
  index: string;
  dark: boolean;
  /** Rows came or went, or are arranged in another way. */
  onShown(): void;
  /** The viewer's own settings opened or closed. */
  onSettings(open: boolean): void;
}

/** Prepares a viewer for a pivot: the page has its own buttons for settings, export and themes. */
export async function prepareViewer(
  viewer: Viewer,
  host: HTMLElement,
  dark: boolean,
): Promise<void> {
  viewer.setAttribute('theme', themeOf(dark));
  host.append(viewer);
  await viewer.resetThemes(Object.values(THEMES));
  hideOwnControls(viewer);
}

/** The viewer of a pivot: it restores layouts and themes, and reads what is arranged. */
export class PivotViewer {
  private dark: boolean;
  private refreshes = 0;

  constructor(
    private readonly element: Viewer,
    private readonly viewer: TableViewer,
    private readonly arranged: ViewerLayout,
    private readonly options: ViewerOptions,
  ) {
    this.dark = options.dark;
  }

  /** Reports when somebody else changes what the viewer shows, such as its own settings. */
  listen(onChange: () => Promise<void>): void {
    this.viewer.listen(async () => {
      await this.arranged.follow();
      await onChange();
    });
    this.element.addEventListener('perspective-toggle-settings', (event) => {
      if (!(event instanceof CustomEvent)) return;
      this.arranged.isWhole = event.detail === true;
      this.options.onSettings(this.arranged.isWhole);
    });
  }

  /** What is arranged, without the aggregate by which {@link refresh} has the view made anew. */
  async read(): Promise<Layout> {
    // While the viewer is given another table, it shows nothing.
    await this.viewer.brought();
    const layout = await this.arranged.read();
    const { [this.options.index]: _, ...aggregates } = layout.aggregates ?? {};
    return { ...layout, aggregates };
  }

  /** Has the viewer show a layout, or a part of one. @throws whatever the viewer has against it */
  async restore(config: Partial<Layout>): Promise<void> {
    const theme = themeOf(this.dark);
    const told = this.arranged.tell(config);
    // The levels that are not open yet are soon looked at.
    await this.viewer.show({ theme, ...told.config }, config.group_by ?? [], (isTaken) => {
      this.arranged.settle(told, isTaken);
      if (isTaken) this.options.onShown();
    });
  }

  /** Has the view made anew with the same layout. */
  async refresh({ aggregates: before }: Layout): Promise<void> {
    this.refreshes++;
    const { index } = this.options;
    // The viewer replaces its view only if the configuration differs. This difference is not visible.
    const aggregates = { ...before, [index]: this.refreshes % 2 ? 'count' : 'any' };
    await this.restore({ aggregates });
  }

  /** Has the view made with the levels of rows that are open. */
  async joinLevels(): Promise<void> {
    if (!this.viewer.isClosed) await this.restore({ group_by: [...this.arranged.rows] });
  }

  /** Prepares for the viewer's own settings: they offer all columns of the table and all levels of rows. */
  async bringAll(): Promise<void> {
    await this.viewer.bringAll();
    this.arranged.isWhole = true;
  }

  async setDark(dark: boolean): Promise<void> {
    if (dark === this.dark) return;
    this.dark = dark;
    await this.restore({});
  }

  /** Resolves when the viewer has drawn what it shows. */
  async flush(): Promise<void> {
    await this.element.flush();
  }

  get isClosed(): boolean {
    return this.viewer.isClosed;
  }

  /** Brings no more columns, and reports nothing any more. @returns when no columns are being brought */
  close(): void {
    this.viewer.close();
  }

  brought(): Promise<void> {
    return this.viewer.brought();
  }
}

/** Hides the viewer's buttons for settings, export and themes: the page has its own. */
function hideOwnControls(viewer: Viewer): void {
  const root = viewer.shadowRoot;
  if (!root) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('#settings_button, #status_bar { display: none !important; }');
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
