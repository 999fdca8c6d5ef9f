/** Prepares the viewer of a pivot and shows layouts in it. */
import type { Layout } from '../../contract/stored-layout';
import type { Viewer } from '../values/engine-types';
import type { TableViewer } from './table-viewer';
import type { ViewerLayout } from './viewer-layout';

const THEMES = { light: 'Pro Light', dark: 'Pro Dark' } as const;
const themeOf = (dark: boolean): string => (dark ? THEMES.dark : THEMES.light);

/** The settings and callbacks of a viewer. */
interface ViewerOptions {
  /** The column that indexes the rows. */
  index: string;
  dark: boolean;
  /** Called when the rows or their arrangement changed. */
  onShown(): void;
}

/**
 * Prepares a viewer for a pivot and hides its buttons for settings, export and themes, which the page
 * replaces.
 */
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

/** The viewer of a pivot: restores layouts and themes, and reads the current layout. */
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

  /** Reports changes of the viewer that were not made here, such as a sort order that its grid requests. */
  listen(onChange: () => Promise<void>): void {
    this.viewer.listen(async () => {
      await this.arranged.follow();
      await onChange();
    });
  }

  /** Returns the current layout, without the aggregate with which {@link refresh} forces a new view. */
  async read(): Promise<Layout> {
    // While the viewer switches to another table, it shows nothing.
    await this.viewer.brought();
    const layout = await this.arranged.read();
    const { [this.options.index]: _, ...aggregates } = layout.aggregates ?? {};
    return { ...layout, aggregates };
  }

  /** Shows a layout, or a part of one, in the viewer. @throws any error of the viewer */
  async restore(config: Partial<Layout>): Promise<void> {
    const theme = themeOf(this.dark);
    const told = this.arranged.tell(config);
    if (told.isSameView) {
      const { aggregates = (await this.read()).aggregates } = config;
      told.config.aggregates = this.forNewView(aggregates);
    }
    // Columns of the closed levels are loaded too, since those levels are likely to be opened soon.
    await this.viewer.show({ theme, ...told.config }, config.group_by ?? [], (isTaken) => {
      this.arranged.settle(told, isTaken);
      if (isTaken) this.options.onShown();
    });
  }

  /** Recreates the view with the same layout. */
  async refresh({ aggregates: before }: Layout): Promise<void> {
    await this.restore({ aggregates: this.forNewView(before) });
  }

  /** Returns aggregates with an invisible difference: the viewer replaces its view only if something differs. */
  private forNewView(before: Layout['aggregates']): NonNullable<Layout['aggregates']> {
    this.refreshes++;
    return { ...before, [this.options.index]: this.refreshes % 2 ? 'count' : 'any' };
  }

  /** Recreates the view with the levels of rows that are open. */
  async joinLevels(): Promise<void> {
    if (!this.viewer.isClosed) await this.restore({ group_by: [...this.arranged.rows] });
  }

  async setDark(dark: boolean): Promise<void> {
    if (dark === this.dark) return;
    this.dark = dark;
    await this.restore({});
  }

  /** Resolves when the viewer has finished drawing. */
  async flush(): Promise<void> {
    await this.element.flush();
  }

  get isClosed(): boolean {
    return this.viewer.isClosed;
  }

  /** Stops loading columns and reporting changes. */
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
