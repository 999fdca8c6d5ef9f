/** Creates the parts of a pivot and connects them. */
import type { MeasureDecimals } from '../contract/decimals';
import { timeTest } from './chart/chart';
import { EmptyValues } from './grid/shown/empty-values';
import { Expansion } from './grid/cells/expansion';
import { Grid } from './grid/grid';
import { columnLabel } from './layout/column-label';
import { monthsOf } from './layout/expected-layout';
import { GRID } from './layout/layout';
import { only, streamOf } from './rows/arrow-columns';
import type { ColumnFacts } from './rows/column-facts';
import { noteColumnTexts } from './rows/text-forms';
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
import { partsBehind } from './values/ratios';
import { Busy, ended, Gate, nextTask } from './waiting';

/** Callbacks by which a pivot reports to the page. */
export interface PivotEvents {
  /** A cell or a header was pressed at this position. */
  onTarget(cell: CellIdentity | null, at: CellPosition, how: Press): void;
  /**
   * The corner of the marked block is dragged to a position, or dropped there; null if the drag was cancelled.
   */
  onFill(at: CellPosition | null, isDropped: boolean): void;
  /** Rows were opened or closed. */
  onRows(): void;
  /** The rows or their arrangement changed, so a chart that was read before is outdated. */
  onShown(): void;
  /** The groups that limits show have changed. */
  onLimited(): void;
  /** The header of a measure was dropped on a side of another one. */
  onMeasure(name: string, beside: string, side: 'left' | 'right'): void;
  /** The user changed the layout of the pivot. */
  onLayout(): Promise<void>;
  /** The engine starts or finishes work: arranging rows in another way, or opening or closing them. */
  onBusy(isBusy: boolean): void;
}

export interface PivotOptions extends PivotEvents, RowsOptions {
  /** The element that contains the pivot; the pivot fills it. */
  host: HTMLElement;
  dark: boolean;
}

/** The parts of an open pivot. */
export interface PivotParts extends RowsParts {
  options: Omit<PivotOptions, 'compared'>;
  /** The engine's viewer. */
  element: Viewer;
  facts: ReadonlyMap<string, ColumnFacts>;
  /** The decimals with which the measures are written. */
  decimals: MeasureDecimals;
  gate: Gate;
}

/**
 * Loads rows into the engine and assembles the parts of a pivot on them.
 *
 * @param bytes a complete Arrow stream of one record batch; the engine takes ownership of it
 * @throws Error if the engine cannot start or refuses the rows
 */
export async function openParts(
  bytes: ArrayBuffer,
  { compared, ...options }: PivotOptions,
): Promise<PivotParts> {
  const engine = await startEngine();
  // No closure below may reference the received rows: the closures live as long as the pivot.
  const ready = await readyRows(bytes, { ...options, compared });
  const { columns, names, whole, schema, origins, attributes, decimals, buckets, days, rest } =
    ready;
  const { index } = options;
  const loading = engine.table(streamOf(only(columns, names)), { index });
  // The error reaches the code that awaits the table.
  loading.catch(() => undefined);
  const element = createViewer();
  try {
    await nextTask();
    // The engine has received the rows; the work below runs while it loads them.
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
    const arranged = new ViewerLayout(
      element,
      buckets,
      (levels) => expansion.levelsOf(levels),
      (shown) => partsBehind(shown, origins.ratios),
    );
    const viewer = new PivotViewer(element, tableViewer, arranged, options);
    const months = monthsOf(options.columns, schema, facts);
    const isTime = timeTest(options.columns, schema, months);
    const usualSorts = new Set([...months.values()].map(({ by }) => by));
    const grid = new Grid({
      plugin,
      table,
      origins,
      beside: {
        untold: () => arranged.read(),
        labelOf: (column) => columnLabel(column, options.columns),
        wholeOf: (column) =>
          origins.isOfPlan(column) ? null : (origins.of(column)?.measure ?? null),
        decimalsOf: (column) => origins.decimalsOf(column),
        isTime,
        usualOrderOf: (column) => {
          if (months.has(column) || (isTime(column) && whole[column] === 'string'))
            return 'by time';
          return whole[column] === 'string' && !known.isEngineOrder(column)
            ? 'by name'
            : 'by engine';
        },
        isUsualSort: (name) => usualSorts.has(name),
        textOf: (column) => buckets.textOf(column),
        daysOf: (date) => days.of(date),
        valuesOf: (key, wanted) => rows.valuesOf(key, wanted),
        attributes,
      },
      expansion,
      events: {
        onTarget: (cell, at, how) => options.onTarget(cell, at, how),
        onFill: (at, isDropped) => options.onFill(at, isDropped),
        onRows: () => options.onRows(),
        onSort: (sort) => {
          const sorting = busy.during(() => element.restore({ sort }));
          // The screen keeps showing the previous state.
          sorting.catch(() => element.resetError()).catch(() => undefined);
        },
        onMeasure: (name, beside, side) => options.onMeasure(name, beside, side),
        onWidths: () => void options.onLayout(),
        onDeeper: () => viewer.joinLevels(),
      },
      busy,
      gate,
    });
    grid.shown.onLeftOut = () => options.onLimited();
    const empty = new EmptyValues(table, schema, index, grid.shown);
    for (const each of [columns, ...others]) {
      empty.note(each);
      noteColumnTexts(each);
    }
    const onShown = () => options.onShown();
    const ofRows = {
      ...{ table, rows, viewer, grid, schema, origins, attributes, buckets, days, known, empty },
    };
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
