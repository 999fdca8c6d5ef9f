import * as v from 'valibot';
import { type Busy, InTurn } from '../waiting';
import { columnsNeeded } from '../layout/columns-needed';
import type { Schema, Viewer } from '../values/engine-types';
import type { TableRows } from './table-rows';

/**
 * The engine's viewer on the table of the rows. Before it is told what to show, the table gets the columns
 * for that; if they make it another table, the viewer goes on in that one with what it shows
 * (docs/decisions/0039-the-first-screen.md).
 */
export class TableViewer {
  /** Whether the viewer has the table, or is being given it. */
  private isTableShown = false;
  /** How much is being told: what the viewer shows then is no news. */
  private telling = 0;
  /** The columns that are being brought. */
  private readonly bringing = new InTurn();
  private closed = false;
  private readonly restore: Viewer['restore'];

  /** @param whole the types of all columns, those that are made of dates among them */
  constructor(
    private readonly element: Viewer,
    private readonly rows: TableRows,
    private readonly whole: Schema,
    private readonly busy: Busy,
  ) {
    this.restore = element.restore.bind(element);
  }

  /**
   * Hears what others tell the viewer: the order that its grid asks for, its own settings, and whoever calls
   * it from outside.
   *
   * @param onChange is called when the viewer shows something else, which nobody has told it here
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
      // While columns are brought, for this or for a chart, what the viewer shows was no news.
      await this.bringing.over();
      if (heard === before) await hear();
    };
    Object.defineProperty(this.element, 'restore', { value: restore, configurable: true });
    this.element.addEventListener('perspective-config-update', () => {
      hear().catch((error: unknown) => {
        // If the page is left right after a change, the viewer is gone before this has read it.
        if (!this.closed) throw error;
      });
    });
  }

  /** Resolves when the columns that are being brought are there. Until then, the viewer shows nothing. */
  async brought(): Promise<void> {
    await this.bringing.over();
  }

  /**
   * Has the viewer show what a part of a configuration says.
   *
   * @param config as the viewer takes it
   * @param more columns that the table is to have, too
   * @param onEnd hears whether the viewer has taken it, before anything the viewer does is news again
   * @throws whatever the viewer has against it
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
   * Has the table have some columns, and the viewer show them. One such work runs at a time.
   *
   * @param config what the viewer is told then
   * @returns whether it was told
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
          // Views on it may still be read.
          void before.delete({ lazy: true }).catch(() => undefined);
          // Whoever has closed the pivot may have waited no longer, and has not known of this one.
          if (this.closed) void this.rows.table.delete({ lazy: true }).catch(() => undefined);
        }
      }),
    );
  }

  /** Has the table have all columns. */
  async bringAll(): Promise<void> {
    await this.bring(Object.keys(this.whole));
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Brings no more columns, and tells nothing of the viewer any more. */
  close(): void {
    this.closed = true;
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
   * Gives the viewer the table of now. It makes its first view of what it is told to restore before it has
   * heard from the table: without that, it would make one of all columns.
   */
  private async showTable(config: Record<string, unknown>): Promise<void> {
    this.isTableShown = true;
    const loading = this.element.load(this.rows.table);
    const told = await Promise.allSettled([loading, this.restore(config)]);
    // Or it would wait before it draws a change, for as long as drawing takes.
    this.element.setThrottle(0);
    const failed = told.find((each) => each.status === 'rejected');
    if (!failed) return;
    this.isTableShown = false;
    throw failed.reason;
  }

  /**
   * Has the viewer show in the table of now what it shows in the one of before.
   *
   * @param config a part of its configuration that is to be another one
   * @returns whether it shows a table at all
   * @throws whatever the viewer has against the part; it then shows what it did
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
