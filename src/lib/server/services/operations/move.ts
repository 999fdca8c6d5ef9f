/** Runs a recode or a clone: moves a slice, or copies it, to other dimensions or dates. */
import type { Factor, SetClause, Shift } from '../../../contract/movement';
import type { CloneRequest, RecodeRequest } from '../../../contract/operations';
import { usableSlice } from '../../../contract/slices';
import { periodOf, periodsOf } from '../../db/calendar/calendar';
import { shiftedMonths } from '../../db/versions/forecast';
import { intervalMoves } from '../../db/loads/load-rows';
import type { Queryable } from '../../db/connection/queryable';
import { AppError, columnPlace, faultAt, fieldPlace } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { periodColumnsOf } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { ident, join, sql } from '../../sql/quote';
import {
  checkSet,
  checkShift,
  derivations,
  derivedFrom,
  setClause,
  shiftedLeaf,
} from '../../sql/set';
import { cloneTemplate } from '../../sql/templates/clone';
import { recodeTemplate } from '../../sql/templates/recode';
import { valueLiteral } from '../../sql/values';
import { requireCalendar } from './calendar';
import { blameClient } from '../client-faults';
import { heldRows, heldSlices, withoutHeld } from '../entries/held';
import type { OperationWriter } from '../entries/open-entry';
import type { ForecastVersion } from '../version/forecast-version';
import { seenByOperations } from '../version/forecast-version';
import type { OperationResult } from './operation-steps';
import { describe, numeric, writeSteps } from './operation-steps';

/**
 * Moves a slice, or a share of it, to other dimensions or dates; totals stay
 * (docs/contract/14-what-the-operations-compute.md#recode).
 *
 * @throws AppError 400; 422 if nothing would move; 423 if a row is locked and `leave_locked` does not leave it
 */
export async function recode(
  writer: OperationWriter,
  request: RecodeRequest,
): Promise<OperationResult> {
  const { target } = writer;
  const { set = {}, shift = null } = request;
  const factor = request.factor ?? 1;
  if (Object.keys({ ...set, ...shift }).length === 0) {
    throw new AppError(422, 'set is empty, so there is nothing to move', {
      field: 'set',
    });
  }
  const assigned = await assignments(writer, set, shift ?? {});
  const leavesLocked = request.leave_locked === true;
  const locked = leavesLocked ? await writer.locked(request.pf_user) : [];
  const held = heldRows(target, heldSlices(null, locked));
  const params = {
    ...{ set, ...(shift && { shift }), ...(request.factor != null && { factor }) },
    ...(leavesLocked && { leave_locked: true }),
  };
  return writeSteps(
    writer,
    { ...describe('recode', request, usableSlice(request.slice)), params },
    [
      {
        slice: request.slice,
        held,
        allHeld: 'Every row of the slice is locked; there is nothing to move',
        template: factor === 1 ? undefined : recodeTemplate(target.columns, 'share'),
        tokens: async (where) => ({
          set_clause: await assigned(withoutHeld(where, held)),
          scale_factor: numeric(factor),
        }),
        otherwise:
          factor === 1
            ? 'The slice already has these values, or its rows add up to zero; there is nothing to move'
            : 'The slice already has these values, or the share of its rows rounds to zero; there is nothing to move',
      },
    ],
  );
}

/**
 * Adds a copy of a slice, multiplied by a factor, in place or elsewhere
 * (docs/contract/14-what-the-operations-compute.md#clone).
 *
 * @throws AppError 400; 422 if nothing would be copied
 */
export async function clone(
  writer: OperationWriter,
  request: CloneRequest,
): Promise<OperationResult> {
  const { target } = writer;
  const { set = {}, shift = null, factors = null } = request;
  const factor = request.scale_factor ?? 1;
  const assigned = await assignments(writer, set, shift ?? {});
  const ramp = factors && factorOfLeaf(factors, factor, { set, shift: shift ?? {} }, target);
  const params = {
    set,
    scale_factor: factor,
    ...(shift && { shift }),
    ...(factors && { factors }),
  };
  return writeSteps(writer, { ...describe('clone', request, usableSlice(request.slice)), params }, [
    {
      slice: request.slice,
      template: ramp ? cloneTemplate(target.columns, 'leaf') : undefined,
      tokens: async (where) => ({
        set_clause: await assigned(where),
        scale_factor: ramp ?? numeric(factor),
      }),
      otherwise:
        'The rows of the copy add up to zero or round to zero on every leaf; there is nothing to write',
    },
  ]);
}

/**
 * Returns the factor of a clone as an expression over `leaves`: that of the first range with the date of the
 * copy, or the default factor. The date is the first one that `shift` names, or the first one of the source.
 *
 * @throws AppError 400 for ranges that are empty or overlap, 422 without a date column
 */
function factorOfLeaf(
  factors: readonly Factor[],
  otherwise: number,
  { set, shift }: { set: SetClause; shift: Shift },
  { columns }: ForecastVersion,
): SqlText {
  const dates = columns.filter((c) => c.role === 'date');
  const date = dates.find(({ name }) => Object.hasOwn(shift, name)) ?? dates[0];
  if (!date) {
    throw new AppError(422, 'The source has no date column, so factors cannot be used', {
      field: 'factors',
    });
  }
  const { name, type } = date;
  const interval = Object.hasOwn(shift, name) ? shift[name] : undefined;
  const leaf = sql`leaves.${ident(name)}`;
  const fixed = Object.hasOwn(set, name)
    ? valueLiteral(set[name] ?? null, type, columnPlace('set', name))
    : leaf;
  const day = interval === undefined ? fixed : shiftedLeaf(name, interval);
  checkRanges(factors);
  const cases = factors.map(({ from, to, factor }, i) => {
    const bound = (text: string, end: 'from' | 'to') =>
      valueLiteral(text, type, fieldPlace(`factors.${i}.${end}`));
    const tests = [
      ...(from === undefined ? [] : [sql`${day} >= ${bound(from, 'from')}`]),
      ...(to === undefined ? [] : [sql`${day} <= ${bound(to, 'to')}`]),
    ];
    return sql`WHEN ${join(tests, sql` AND `)} THEN ${numeric(factor)}`;
  });
  return sql`(CASE ${join(cases, sql` `)} ELSE ${numeric(otherwise)} END)`;
}

/** @throws AppError 400 for a range that ends before it begins, and for two that share a day */
function checkRanges(factors: readonly Factor[]): void {
  // Years may have more than four digits.
  const number = (day: string | undefined, open: number) =>
    day === undefined ? open : Number(day.replaceAll('-', ''));
  const ranges = factors.map(({ from, to }, i) => ({
    ...{ first: number(from, -Infinity), last: number(to, Infinity) },
    at: fieldPlace(`factors.${i}`),
  }));
  for (const { first, last, at } of ranges) {
    if (first > last) throw faultAt(at, 400, 'the range ends before it begins');
  }
  const ordered = ranges.toSorted((a, b) => a.first - b.first);
  for (const [i, { first, at }] of ordered.entries()) {
    const before = ordered[i - 1];
    if (before && before.last >= first) {
      throw faultAt(at, 400, `the range overlaps with ${before.at.words}`);
    }
  }
}

/**
 * Checks where a slice moves to. Dimensions that are derived from a changed date are looked up in the calendar.
 *
 * @returns the value of `{{set_clause}}` for the rows of a slice
 * @throws AppError 400, 422 as {@link checkSet} and {@link checkShift}; 400 for an interval that cannot be
 * read, 409 without a calendar
 */
async function assignments(
  { tx, target }: OperationWriter,
  set: SetClause,
  shift: Shift,
): Promise<(where: SqlText) => Promise<SqlText>> {
  const { columns } = target;
  checkSet(set, target);
  checkShift(shift, set, columns);
  const derived = await derivedBySet(tx, set, columns);
  for (const [name, interval] of Object.entries(shift)) {
    await blameClient(columnPlace('shift', name), () => intervalMoves(tx, interval));
    const date = columns.find((c) => c.name === name);
    if (date && periodColumnsOf(date, columns).length > 0) await requireCalendar(tx);
  }
  return async (where) =>
    setClause(set, columns, derived, await shiftedBy(shift, tx, target, where));
}

/** Returns the calendar's text for each derived dimension of a date that `set` changes. */
async function derivedBySet(
  db: Queryable,
  set: SetClause,
  columns: readonly ForecastColumn[],
): Promise<Map<string, string | null>> {
  const derived = new Map<string, string | null>();
  for (const { date, derived: dimensions } of derivations(set, columns)) {
    await requireCalendar(db);
    const day = set[date.name];
    const period = await blameClient(columnPlace('set', date.name), () =>
      periodOf(
        db,
        day == null ? null : String(day),
        dimensions.map((d) => d.periodColumn),
      ),
    );
    dimensions.forEach((d, i) => derived.set(d.name, period[i] ?? null));
  }
  return derived;
}

/**
 * Returns the expression of each column that a `shift` changes: the dates, and the dimensions derived from them.
 *
 * @param where the rows of the slice
 * @throws AppError 422 for a day that a pivot cannot show
 */
async function shiftedBy(
  shift: Shift,
  db: Queryable,
  target: ForecastVersion,
  where: SqlText,
): Promise<Map<string, SqlText>> {
  const { columns, rows } = target;
  const expressions = new Map<string, SqlText>();
  const seen = seenByOperations(target, where);
  for (const date of columns.filter((c) => c.role === 'date')) {
    const interval = Object.hasOwn(shift, date.name) ? shift[date.name] : undefined;
    if (interval === undefined) continue;
    const place = columnPlace('shift', date.name);
    const months = await blameClient(place, () => shiftedMonths(db, rows, date, interval, seen));
    if (months.some(({ isShown }) => !isShown)) {
      throw faultAt(place, 422, 'moves a date to a year that a pivot cannot show');
    }
    const day = shiftedLeaf(date.name, interval);
    expressions.set(date.name, day);
    const dimensions = periodColumnsOf(date, columns);
    if (dimensions.length === 0) continue;
    const periods = await periodsOf(
      db,
      months.map(({ month }) => month),
      dimensions.map((d) => d.periodColumn),
    );
    dimensions.forEach((d, i) => {
      const own = new Map([...periods].map(([month, period]) => [month, period[i] ?? null]));
      expressions.set(d.name, derivedFrom(day, d, own));
    });
  }
  return expressions;
}
