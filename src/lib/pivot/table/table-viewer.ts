/** Connects the engine's viewer to the table. */
import * as v from 'valibot';
import { type Busy, InTurn } from '../waiting';
import { columnsNeeded } from '../layout/columns-needed';
import type { Schema, Viewer } from '../values/engine-types';
import type { TableRows } from './table-rows';

/**
 * Connects the engine's viewer to the table of the rows. Before the viewer gets a configuration, the columns
 * for it are loaded; if that creates a new table, the viewer switches to it and keeps its configuration
 * (docs/decisions/0039-the-first-screen.md).
 */
export class TableViewer {
  /** Whether the viewer has a table or is loading one. */
  private isTableShown = false;
  /** Restores in progress; config events during them are our own. */
  private telling = 0;
  /** Runs the loading of columns one after the other. */
  private readonly bringing = new InTurn();
  private closed = false;
  private readonly listening = new AbortController();
  private readonly restore: Viewer['restore'];

  /** @param whole the types of all columns, including bucket columns */
  constructor(
    private readonly element: Viewer,
    private readonly rows: TableRows,
    private readonly whole: Schema,
    private readonly busy: Busy,
  ) {
    this.restore = element.restore.bind(element);
  }

  /**
   * Listens to changes of the viewer by others: the sort order that its grid requests, and callers from
   * outside.
   *
   * @param onChange called when the viewer shows a configuration that was not set here
   */
  listen(onChange: () => Promise<void>): void {
    let heard = 0;
    const hear = async () => {
      if (this.telling > 0 || this.closed) return;
      heard += 1;
      await onChange();
    };
    const restore: Viewer['restore'] = async (config) => {
      const before = heard;
      await this.tell(config);
      // Changes of the viewer were ignored while columns were loaded, for this call or for a chart.
      await this.bringing.over();
      if (heard === before) await hear();
    };
    Object.defineProperty(this.element, 'restore', { value: restore, configurable: true });
    const onUpdate = () => {
      hear().catch((error: unknown) => {
        // If the page is left right after a change, the viewer is gone before `onChange` has read it.
        if (!this.closed) throw error;
      });
    };
    const { signal } = this.listening;
    this.element.addEventListener('perspective-config-update', onUpdate, { signal });
  }

  /** Resolves when all requested columns are loaded. Until then, the viewer shows nothing. */
  async brought(): Promise<void> {
    await this.bringing.over();
  }

  /**
   * Shows a part of a configuration in the viewer.
   *
   * @param config in the viewer's format
   * @param more names of further columns to load
   * @param onEnd called with whether the viewer accepted it, before changes of the viewer are reported again
   * @throws any error of the viewer
   */
  show(
    config: Record<string, unknown>,
    more: readonly string[],
    onEnd: (isTaken: boolean) => void,
  ): Promise<void> {
    return this.whileTold(async () => {
      try {
        await this.busy.during(async () => {
          await this.tell(config, more);
          await this.element.flush();
        });
      } catch (error) {
        onEnd(false);
        await this.element.resetError().catch(() => undefined);
        throw error;
      }
      onEnd(true);
    });
  }

  /**
   * Loads columns into the table and shows that table in the viewer. Only one such call runs at a time.
   *
   * @param config a part of a configuration to show with the new columns
   * @returns whether the configuration was shown
   */
  bring(names: readonly string[], config: Record<string, unknown> = {}): Promise<boolean> {
    if (this.rows.has(names)) return Promise.resolve(false);
    return this.bringing.run(() =>
      this.busy.during(async () => {
        if (this.closed) throw new Error('The pivot is closed.');
        const before = await this.rows.bring(names);
        if (!before) return false;
        try {
          return await this.goOn(config);
        } finally {
          // Views on the previous table may still be read.
          void before.delete({ lazy: true }).catch(() => undefined);
          // The code that closed the pivot may have stopped waiting, and did not know this table.
          if (this.closed) void this.rows.table.delete({ lazy: true }).catch(() => undefined);
        }
      }),
    );
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * Stops loading columns and reporting changes of the viewer. The engine never releases a viewer's element
   * (docs/decisions/0002-perspective-3-8.md), so the element must not reference the pivot.
   */
  close(): void {
    this.closed = true;
    this.listening.abort();
    Reflect.deleteProperty(this.element, 'restore');
  }

  private async whileTold<T>(work: () => Promise<T>): Promise<T> {
    this.telling++;
    try {
      return await work();
    } finally {
      this.telling--;
    }
  }

  private async tell(config: Record<string, unknown>, more: readonly string[] = []): Promise<void> {
    const needed = [...columnsNeeded(config, this.whole), ...more];
    if (await this.bring(needed, config)) return;
    await this.bringing.over();
    await (this.isTableShown ? this.restore(config) : this.showTable(config));
  }

  /**
   * Gives the current table to the viewer. The configuration is restored before the table has loaded;
   * otherwise the viewer would first create a view of all columns.
   */
  private async showTable(config: Record<string, unknown>): Promise<void> {
    this.isTableShown = true;
    const loading = this.element.load(this.rows.table);
    const told = await Promise.allSettled([loading, this.restore(config)]);
    // Otherwise the viewer would delay each change by the time that drawing takes.
    this.element.setThrottle(0);
    const failed = told.find((each) => each.status === 'rejected');
    if (!failed) return;
    this.isTableShown = false;
    throw failed.reason;
  }

  /**
   * Switches the viewer to the current table and keeps its configuration.
   *
   * @param config a part of the configuration to change
   * @returns whether the viewer shows a table at all
   * @throws any error of the viewer about `config`; the viewer then shows its previous configuration
   */
  private async goOn(config: Record<string, unknown>): Promise<boolean> {
    if (!this.isTableShown || this.closed) return false;
    return this.whileTold(async () => {
      const shown = v.parse(v.looseObject({}), await this.element.save());
      try {
        await this.showTable({ ...shown, ...config });
      } catch (error) {
        await this.element.resetError().catch(() => undefined);
        await this.showTable(shown).catch(() => undefined);
        throw error;
      }
      return true;
    });
  }
}
