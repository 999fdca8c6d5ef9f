import type { MeasureDecimals } from '../contract/decimals';
import { EmptyValues } from './grid/empty-values';
import { Expansion } from './grid/expansion';
import { Grid } from './grid/grid';
import { GRID } from './layout/layout';
import { only, streamOf } from './rows/arrow-columns';
import type { ColumnFacts } from './rows/column-facts';
import type { CellIdentity, CellPosition, Press } from './slice/cell';
import { createViewer, startEngine } from './table/perspective';
import type { RowsParts } from './table/pivot-rows';
import { PivotTable } from './table/pivot-table';
import { prepareViewer, PivotViewer } from './table/pivot-viewer';
import { readyRows, type RowsOptions } from './table/ready-rows';
import { TableRows } from './table/table-rows';
import { TableViewer } from './table/table-viewer';
import { ViewerLayout } from './table/viewer-layout';
import type { Viewer } from './values/engine-types';
import { Busy, ended, Gate, nextTask } from './waiting';

/** What a pivot tells the page. */
export interface PivotEvents {
  /** A cell or a header was pressed, at this place. */
  onTarget(cell: CellIdentity | null, at: CellPosition, how: Press): void;
  /** Rows were opened or closed. */
  onRows(): void;
  /** Rows came or went, or are arranged in another way: a chart that was read before is old. */
  onShown(): void;
  /** The user changed what the pivot shows. */
  onLayout(): Promise<void>;
  /** The engine begins to arrange rows in another way, to open or to close them, or has done so. */
  onBusy(isBusy: boolean): void;
  /** The viewer's own settings opened or closed. */
  onSettings(open: boolean): void;
}

export interface PivotOptions extends PivotEvents, RowsOptions {
  /** Where the pivot goes; it fills its host. */
  host: HTMLElement;
  dark: boolean;
}

/** The parts of an open pivot. */
export interface PivotParts extends RowsParts {
  options: Omit<PivotOptions, 'compared'>;
  /** The engine's viewer. */
  element: Viewer;
  facts: ReadonlyMap<string, ColumnFacts>;
  /** The decimals that the measures are written with. */
  decimals: MeasureDecimals;
  gate: Gate;
}

/**
 * Loads rows into the engine, and puts together the parts of a pivot on them.
 *
 * @param bytes a complete Arrow stream of one record batch; the engine takes it over
 * @throws Error if the engine cannot start or refuses the rows
 */
export async function openParts(
  bytes: ArrayBuffer,
  { compared, ...options }: PivotOptions,
): Promise<PivotParts> {
  const engine = await startEngine();
  // None of the closures below may hold the rows as they came: they live as long as the pivot.
  const ready = readyRows(bytes, { ...options, compared });
  const { columns, names, whole, schema, origins, decimals, buckets, days, rest } = ready;
  const { index } = options;
  const loading = engine.table(streamOf(only(columns, names)), { index });
  // Whoever waits for the table hears that it is refused.
  loading.catch(() => undefined);
  const element = createViewer();
  try {
    await nextTask();
    // The engine has the rows now, and what follows is done while it loads them.
    const { facts, known, others } = rest();
    await prepareViewer(element, options.host, options.dark);
    const plugin = await element.getPlugin(GRID);
    const busy = new Busy((isBusy) => options.onBusy(isBusy));
    const gate = new Gate();
    const rows = new TableRows(engine, { table: await loading, names }, whole, index, gate);
    const tableViewer = new TableViewer(element, rows, whole, busy);
    const table = new PivotTable(
      whole,
      index,
      buckets,
      () => rows.table,
      (needed) => tableViewer.bring(needed),
    );
    rows.hold(columns);
    for (const other of others) await rows.append(other);
    const expansion = new Expansion();
    const arranged = new ViewerLayout(element, buckets, (levels) => expansion.levelsOf(levels));
    const viewer = new PivotViewer(element, tableViewer, arranged, options);
    const grid = new Grid({
      plugin,
      table,
      origins,
      beside: {
        untold: () => arranged.read(),
        textOf: (column) => buckets.textOf(column),
        daysOf: (date) => days.of(date),
        valuesOf: (key, wanted) => rows.valuesOf(key, wanted),
      },
      expansion,
      events: {
        onTarget: (cell, at, how) => options.onTarget(cell, at, how),
        onRows: () => options.onRows(),
        onSort: (sort) => {
          const sorting = busy.during(() => element.restore({ sort }));
          // What is on screen stays as it is.
          sorting.catch(() => element.resetError()).catch(() => undefined);
        },
        onDeeper: () => viewer.joinLevels(),
      },
      busy,
      gate,
    });
    const empty = new EmptyValues(table, schema, index, grid.shown);
    for (const each of [columns, ...others]) empty.note(each);
    const onShown = () => options.onShown();
    const ofRows = { table, rows, viewer, grid, schema, origins, buckets, days, known, empty };
    return { ...ofRows, index, onShown, options, element, facts, decimals, gate };
  } catch (error) {
    await ended(
      () => element.delete(),
      () => loading.then((table) => table.delete()),
    );
    element.remove();
    throw error;
  }
}
