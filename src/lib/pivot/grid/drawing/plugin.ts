/** Registers the grid as a plugin of the viewer. */
/* eslint-disable @typescript-eslint/consistent-type-assertions --
   The element classes of the viewer have no types of ours. */
import 'regular-table';
import type { GridHost, GridPlugin, RegularTable, View } from '../../values/engine-types';
import { GRID } from '../../layout/layout';
import { GRID_CSS } from './grid-css';

const TAG = 'perspective-viewer-pivot-grid';

/**
 * The grid as a plugin of the viewer (docs/decisions/0008-a-grid-of-our-own.md). It passes the viewer's calls
 * to its host, which decides how to draw.
 */
class PivotGridElement extends HTMLElement implements GridPlugin {
  readonly table = document.createElement('regular-table') as unknown as RegularTable;
  host: GridHost | null = null;
  /** Whether a layout has been restored. Nobody asked for the views that the viewer shows before that. */
  private isArranged = false;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(GRID_CSS);
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    // The cells would cover parts of an outline of the table itself.
    const ring = document.createElement('div');
    ring.className = 'pf-ring';
    root.append(this.table, ring);
  }

  get name(): string {
    return GRID;
  }

  get category(): string {
    return 'Basic';
  }

  get select_mode(): string {
    return 'toggle';
  }

  get min_config_columns(): undefined {
    return undefined;
  }

  get config_column_names(): string[] {
    return ['Columns'];
  }

  /** Higher than the priority of the charts, so that the viewer starts with the grid. */
  get priority(): number {
    return 1;
  }

  async draw(view: View): Promise<void> {
    if (this.isArranged) await this.host?.draw(view);
  }

  async update(view: View): Promise<void> {
    await this.host?.update(view);
  }

  async resize(): Promise<void> {
    await this.host?.redraw();
  }

  async restyle(): Promise<void> {
    await this.host?.redraw();
  }

  async clear(): Promise<void> {
    this.table.clear();
  }

  save(): Record<string, unknown> {
    return this.host?.save() ?? {};
  }

  restore(settings: unknown, columns: unknown): void {
    this.isArranged = true;
    this.host?.restore(settings, columns);
  }

  delete(): void {
    this.host = null;
    this.table.clear();
  }
}

customElements.define(TAG, PivotGridElement);
void customElements.whenDefined('perspective-viewer').then((viewer) => {
  const { registerPlugin } = viewer as unknown as { registerPlugin(tag: string): Promise<void> };
  return registerPlugin(TAG);
});
