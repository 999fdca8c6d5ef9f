/** How good the forecast of closed months was, from the log. */
import type { Accuracy } from '../../../contract/accuracy';
import { MOST_WORST } from '../../../contract/accuracy';
import { measureKey } from '../../../contract/columns';
import { figuresOf } from '../../../contract/measures';
import type { LogEntry } from '../../../contract/log';
import { isCloseEntry } from '../../../contract/log';
import { OPERATIONS, readsSource } from '../../../contract/operations';
import type { CellLine } from '../../db/loads/accuracy';
import { cellLines } from '../../db/loads/accuracy';
import type { Database } from '../../db/database';
import { listEntries } from '../../db/log/log';
import { AppError, fieldPlace } from '../../errors';
import { firstDay, lastDay, periodOfDay } from '../../../contract/calendar';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureColumns } from '../../sql/forecast-columns';
import { join, sql } from '../../sql/quote';
import { excludeClause, usableAttribute } from '../../sql/slice';
import { CellErrors, sumByCell, tidy } from '../../statistics/cell-errors';
import type { ForecastVersion } from '../version/forecast-version';
import { dimensionOf, limited, readVersion, sliceOf } from '../version/forecast-version';

/** The most amounts, by entry and cell, that are read. */
const MOST_LINES = 200_000;

/** What to compare. */
export interface AccuracyRequest {
  /** The dimensions and attributes of the cells. */
  by: readonly string[];
  /**
   * Number of months: only entries made at least that many months before a month began count as its forecast.
   * Undefined for all entries.
   */
  lag: number | undefined;
  /** The measure whose differences decide which cells are the worst: its key; undefined for the first one. */
  measure: string | undefined;
}

/**
 * Compares the forecast of closed months with what happened (docs/contract/06-log.md#get-versionsidaccuracy). For a
 * sender who reads a part, the closed months end with the last one that has rows inside.
 *
 * @throws AppError 400 for a column that is not a dimension and for an unknown measure, 404, 409 for an attribute whose
 * lookup cannot be joined, 422 for too many cells
 */
export const accuracy = (
  db: Database,
  versionId: number,
  request: AccuracyRequest,
): Promise<Accuracy> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const { columns, rows, version } = target;
    const by = [...new Set(request.by)].map((name) => fieldOf(target, name));
    const measures = measureColumns(columns);
    const main = measurePlace(measures, request.measure);
    const entries = await listEntries(tx, versionId);
    const closed = closedDays(target, entries);
    if (!closed) return compared([], { entries: [], by, measures, main, closed });
    const cells = { date: closed.date, by, measures };
    const counts = excludeClause(version.exclude_iters);
    const lines = await cellLines(tx, rows, cells, closed.where, counts, MOST_LINES + 1);
    if (lines.length > MOST_LINES) {
      throw new AppError(
        422,
        `There are more than ${MOST_LINES} amounts by entry and cell; name fewer dimensions`,
        { field: 'by' },
      );
    }
    const placed = withLag(lines, entries, request.lag);
    const seen = limited(target) ? closedInside(closed, lines) : closed;
    return compared(placed, { entries: entries.toReversed(), by, measures, main, closed: seen });
  });

/** A dimension or an attribute. @throws AppError 400 if there is none, 409 if its lookup cannot be joined */
function fieldOf({ columns, attributes }: ForecastVersion, name: string) {
  const isColumn = columns.some((column) => column.name === name);
  const attribute = isColumn ? undefined : attributes.find((each) => each.name === name);
  return attribute
    ? usableAttribute({ ...fieldPlace('by'), column: name }, attribute)
    : dimensionOf(columns, name, 'by');
}

/** The place of a measure among those of the source; the first one if none is named. @throws AppError 400 */
function measurePlace(measures: readonly ForecastColumn[], wanted: string | undefined): number {
  if (wanted === undefined) return 0;
  const place = measures.findIndex((column) => measureKey(column) === wanted);
  if (place >= 0) return place;
  throw new AppError(400, `measure: the source has no measure "${wanted}"`, { field: 'measure' });
}

/** The closed days of the date column that the newest close names; null if no days are closed. */
function closedDays(target: ForecastVersion, entries: readonly LogEntry[]) {
  const closes = entries.filter(isCloseEntry).flatMap(({ params }) => params ?? []);
  const [newest] = closes;
  const date = target.columns.find((c) => c.role === 'date' && c.name === newest?.column);
  if (!date) return null;
  const ranges = closes.filter(({ column }) => column === date.name);
  const conditions = ranges.map(
    ({ from, through }) =>
      sql`(${sliceOf(target, { [date.name]: { from, to: through } }, 'column').where})`,
  );
  const last = ranges.map(({ through }) => through).reduce((a, b) => (a > b ? a : b));
  return { date, through: last, where: sql`(${join(conditions, sql` OR `)})` };
}

/** The closed days up to the last month of some lines; null without lines. */
function closedInside<Closed extends { through: string }>(
  closed: Closed,
  lines: readonly CellLine[],
): Closed | null {
  if (lines.length === 0) return null;
  const months = new Set(lines.map(({ month }) => month));
  const last = Math.max(...[...months].map((month) => periodOfDay(month, 'month')));
  if (periodOfDay(closed.through, 'month') <= last) return closed;
  return { ...closed, through: lastDay(last, 'month') };
}

/** A line with its cell. */
interface PlacedLine extends CellLine {
  cell: string;
  /** Whether it belongs to the forecast. */
  isForecast: boolean;
}

/** Finds the cell of each line, and whether it is part of the forecast: not those of closes and of later entries. */
function withLag(
  lines: readonly CellLine[],
  entries: readonly LogEntry[],
  lag: number | undefined,
): PlacedLine[] {
  const stamps = new Map(entries.map(({ id, stamp }) => [id, Date.parse(stamp)]));
  const isInTime = ({ logid, month }: CellLine): boolean => {
    if (lag === undefined) return true;
    const limit = firstDay(periodOfDay(month, 'month') - lag, 'month');
    return (stamps.get(logid) ?? Infinity) < Date.parse(`${limit}T00:00:00Z`);
  };
  return lines.map((line) => ({
    ...line,
    cell: JSON.stringify([line.month, line.key]),
    isForecast: line.counts && line.iter !== OPERATIONS.actual.iter && isInTime(line),
  }));
}

interface Comparison {
  /** In the order of the log. */
  entries: readonly LogEntry[];
  by: readonly { name: string }[];
  measures: readonly ForecastColumn[];
  /** Place of the measure whose differences are listed. */
  main: number;
  closed: { date: ForecastColumn; through: string } | null;
}

/** Computes the errors from the amounts by entry and cell. */
function compared(
  lines: readonly PlacedLine[],
  { entries, by, measures, main, closed }: Comparison,
): Accuracy {
  const own = linesByEntry(lines.filter(({ isForecast }) => isForecast));
  const steps = entries.filter(({ id }) => own.has(id));
  const changes = steps.filter(({ operation }) => !readsSource(operation));
  const people = [...new Set(changes.map(({ pf_user }) => pf_user))].toSorted();
  const hasReference = lines.some(({ iter }) => iter === OPERATIONS.reference.iter);

  const figures = measures.map((_, m) => {
    const amounts = (of: readonly PlacedLine[]) =>
      of.map(({ cell, sums }) => ({ cell, amount: sums[m] ?? 0 }));
    const added = (entry: LogEntry) => amounts(own.get(entry.id) ?? []);
    const scales = lines.map(({ decimals: of }) => of[m] ?? null);
    const decimals = scales.includes(null) ? null : Math.max(0, ...scales.map((most) => most ?? 0));
    const actual = sumByCell(amounts(lines.filter(({ counts }) => counts)), decimals);
    const errorsOf = (forecast: readonly { cell: string; amount: number }[]) => {
      const errors = new CellErrors(actual, decimals);
      for (const each of forecast) errors.add(each);
      return errors.errors;
    };
    const growing = new CellErrors(actual, decimals);
    const forecast = steps.flatMap(added);
    return {
      actual,
      forecast: sumByCell(forecast, decimals),
      after: steps.map((entry) => {
        for (const each of added(entry)) growing.add(each);
        return growing.errors;
      }),
      errors: errorsOf(forecast),
      reference: errorsOf(amounts(lines.filter(({ iter }) => iter === OPERATIONS.reference.iter))),
      without: people.map((user) =>
        errorsOf(
          steps
            .filter(({ operation, pf_user }) => readsSource(operation) || pf_user !== user)
            .flatMap(added),
        ),
      ),
    };
  });
  type Figures = (typeof figures)[number];
  const byMeasure = <T>(of: (measure: Figures) => T | undefined) => {
    const all = measures.flatMap((measure, i) => {
      const own = figures[i];
      const figure = own && of(own);
      return figure === undefined ? [] : [[measureKey(measure), figure] as const];
    });
    return figuresOf(all);
  };

  const cells = new Map(lines.map((line) => [line.cell, line]));
  const ranking = figures[main];
  const offBy = (cell: string) =>
    Math.abs(tidy((ranking?.forecast.get(cell) ?? 0) - (ranking?.actual.get(cell) ?? 0)));
  const worst = [...cells.values()]
    .map((line) => ({ ...line, difference: offBy(line.cell) }))
    .filter(({ difference }) => difference > 0)
    .toSorted((a, b) => b.difference - a.difference)
    .slice(0, MOST_WORST);
  return {
    column: closed?.date.name ?? null,
    through: closed?.through ?? null,
    cells: cells.size,
    forecast: byMeasure(({ errors }) => errors),
    reference: hasReference ? byMeasure(({ reference }) => reference) : null,
    entries: steps.map(({ id: logid, operation, pf_user, stamp, note }, i) => ({
      ...{ logid, operation, pf_user, stamp, note },
      ...byMeasure(({ after }) => after[i]),
    })),
    people: people.map((pf_user, i) => ({
      ...{ pf_user, entries: changes.filter((entry) => entry.pf_user === pf_user).length },
      ...byMeasure(({ without, errors }) => {
        const before = without[i];
        return before && { before, after: errors };
      }),
    })),
    worst: worst.map(({ cell, month, key }) => ({
      cell: Object.fromEntries(by.map(({ name }, i) => [name, key[i] ?? null])),
      month,
      forecast: byMeasure(({ forecast }) => tidy(forecast.get(cell) ?? 0)),
      actual: byMeasure(({ actual }) => tidy(actual.get(cell) ?? 0)),
    })),
  };
}

function linesByEntry(lines: readonly PlacedLine[]): Map<number, PlacedLine[]> {
  const byEntry = new Map<number, PlacedLine[]>();
  for (const line of lines) {
    const known = byEntry.get(line.logid);
    if (known) known.push(line);
    else byEntry.set(line.logid, [line]);
  }
  return byEntry;
}
