import { add, divide, isLess, isZero, multiply, parse, round, subtract, sum, ZERO } from './exact';
import type { Fraction } from './exact';
import type { DateRange, Shape, Slice } from './model';
import { inSlice } from './model';
import type { StoredRow } from './planned';

/**
 * A model of scales with a shape, in exact fractions from the rules of
 * docs/contract/14-what-the-operations-compute.md#shapes. It shares nothing with the service.
 */

const MEASURES = ['value', 'units'] as const;
export type Measure = (typeof MEASURES)[number];
export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** A shape as a request has it, with all rows of `like` in the same version. */
export type Spread = { missing?: 'leave_out' } & (
  | {
      profile: { column: string; unit: Unit } & (
        { weights: Record<string, number> } | { even: true } | { days: true }
      );
    }
  | { like: { slice: Slice; by: string[]; unit?: Unit; origins?: string[]; measure?: Measure } }
);

/** An increment, a total, or the present total; undefined if the measure is not changed. */
export type Wanted = { incr: number } | { total: number | 'keep' } | undefined;

export interface ShapedScale {
  slice: Slice;
  hold: Slice[];
  value: Wanted;
  units: Wanted;
  spread: Spread;
}

/** What each group gains, by its key; or why the scale is refused. */
export type ShapedOutcome =
  | { gains: Map<string, Record<Measure, Fraction>>; groupOf: (row: StoredRow) => string }
  | { refused: 'nothing free' | 'weights' | 'no row' | 'no change' };

interface State {
  rows: readonly StoredRow[];
  locks: readonly Slice[];
  shape: Shape;
}

type Group = (string | null)[];
type Weights = Map<string, Record<Measure, Fraction>>;

/** The rows that operations see. */
export const visible = (rows: readonly StoredRow[]): StoredRow[] =>
  rows.filter((row) => row.iter !== 'reference');

const iso = (time: number): string => new Date(time).toISOString().slice(0, 10);
const DAY = 86_400_000;

/** The first day of the period of a day. Weeks begin on Monday. */
export function firstDay(day: string, unit: Unit): string {
  const [year = '', month = ''] = day.split('-');
  if (unit === 'year') return `${year}-01-01`;
  if (unit === 'month') return `${year}-${month}-01`;
  if (unit === 'quarter') {
    return `${year}-${['01', '04', '07', '10'][Math.floor((Number(month) - 1) / 3)]}-01`;
  }
  const time = Date.parse(day);
  return unit === 'day' ? day : iso(time - ((new Date(time).getUTCDay() + 6) % 7) * DAY);
}

/** The number of days of a period that are in a range, counted one by one. */
function daysIn(first: string, unit: Unit, { from = '', to = '9999' }: DateRange): number {
  let days = 0;
  for (let time = Date.parse(first); firstDay(iso(time), unit) === first; time += DAY) {
    if (from <= iso(time) && iso(time) <= to) days += 1;
  }
  return days;
}

/** Computes what a scale with a shape does. */
export function shapedScale({ rows, locks, shape }: State, scale: ShapedScale): ShapedOutcome {
  const { slice, hold, spread } = scale;
  const seen = visible(rows).filter((row) => inSlice(row, slice, shape));
  if (MEASURES.every((m) => !changes(scale[m]))) return { refused: 'no change' };
  if (MEASURES.some((m) => vanishes(scale[m], shape, m))) return { refused: 'no change' };
  const by = 'like' in spread ? spread.like.by : [spread.profile.column];
  const unit = 'like' in spread ? spread.like.unit : spread.profile.unit;
  const groupOf = (row: StoredRow): Group =>
    by.map((name) => {
      const cell = row.keys[name] ?? null;
      if (cell === null) return null;
      const text = String(cell);
      if (name === 'Order Date') return firstDay(text, unit!);
      return name === 'Size' && text.includes('.') ? text.replace(/\.?0+$/, '') : text;
    });
  const keyOf = (row: StoredRow) => JSON.stringify(groupOf(row));
  const weights = weightsOf(spread, rows, seen, shape, slice, keyOf);
  if (!weights) return { refused: 'no row' };

  const isFree = (row: StoredRow) => ![...hold, ...locks].some((held) => inSlice(row, held, shape));
  if (!seen.some(isFree)) return { refused: 'nothing free' };
  const groups = [...new Set(seen.map(keyOf))].toSorted(inOrder);
  const isWeight = (w: Record<Measure, Fraction>) => MEASURES.some((m) => !isZero(w[m]));
  const missing = [...weights].filter(([key, w]) => isWeight(w) && !groups.includes(key));
  if (missing.length > 0 && !spread.missing) return { refused: 'no row' };

  const gains = new Map(groups.map((key) => [key, { value: ZERO, units: ZERO }]));
  for (const m of MEASURES) {
    const wanted = scale[m];
    const kind = shape[m]?.kind;
    if (!wanted || !changes(wanted) || !kind?.exact) continue;
    const all = groups.map((key) => weights.get(key)?.[m] ?? ZERO);
    if (all.some((w) => isLess(w, ZERO)) && all.some((w) => isLess(ZERO, w))) {
      return { refused: 'weights' };
    }
    const of = (key: string) => seen.filter((row) => keyOf(row) === key);
    const free = groups.map((key) => of(key).some(isFree));
    const open = all.map((w, i) => (free[i] ? w : ZERO));
    if (open.every(isZero)) return { refused: 'weights' };
    const sums = groups.map((key) => sum(of(key).map((row) => row[m]?.at ?? ZERO)));
    const asked = 'incr' in wanted ? wanted.incr : wanted.total;
    const decimals =
      kind.scale ?? Math.max(2, placesOf(asked), ...seen.map((r) => r[m]?.scale ?? 0));
    const amount = asked === 'keep' ? sum(sums) : round(parse(String(asked)), decimals);
    const isTotal = 'total' in wanted;
    const kept = isTotal ? sum(sums.filter((_, i) => !free[i])) : ZERO;
    const whole = sum(open);
    let [weight, before] = [ZERO, ZERO];
    groups.forEach((key, i) => {
      weight = add(weight, open[i]!);
      const upTo = round(divide(multiply(subtract(amount, kept), weight), whole), decimals);
      const share = subtract(upTo, before);
      before = upTo;
      if (free[i]) gains.get(key)![m] = isTotal ? subtract(share, sums[i]!) : share;
    });
  }
  const isChanged = [...gains.values()].some((gain) => MEASURES.some((m) => !isZero(gain[m])));
  return isChanged ? { gains, groupOf: keyOf } : { refused: 'no change' };
}

const changes = (wanted: Wanted): boolean =>
  wanted !== undefined && ('total' in wanted || wanted.incr !== 0);

/** Whether an increment rounds to 0 in its column, which the service refuses. */
function vanishes(wanted: Wanted, shape: Shape, m: Measure): boolean {
  const kind = shape[m]?.kind;
  if (!wanted || !('incr' in wanted) || wanted.incr === 0) return false;
  return kind?.exact === true && kind.scale !== null
    ? isZero(round(parse(String(wanted.incr)), kind.scale))
    : false;
}

const placesOf = (asked: number | 'keep'): number =>
  asked === 'keep' ? 0 : (/\.(\d+)$/.exec(String(asked))?.[1]?.length ?? 0);

/** By the texts of their values; null comes last. */
function inOrder(one: string, other: string): number {
  const [a, b] = [JSON.parse(one) as Group, JSON.parse(other) as Group];
  const i = a.findIndex((value, at) => value !== b[at]);
  if (i < 0) return 0;
  if (a[i] === null) return 1;
  return b[i] === null || a[i]! < b[i]! ? -1 : 1;
}

/** The weights of a shape by group; null if a pattern has no rows. */
function weightsOf(
  spread: Spread,
  rows: readonly StoredRow[],
  seen: readonly StoredRow[],
  shape: Shape,
  slice: Slice,
  keyOf: (row: StoredRow) => string,
): Weights | null {
  if ('like' in spread) {
    const { slice: pattern, origins, measure } = spread.like;
    const like = (origins ? rows.filter((r) => origins.includes(r.iter)) : visible(rows)).filter(
      (row) => inSlice(row, pattern, shape),
    );
    if (like.length === 0) return null;
    const of = (key: string, m: Measure) =>
      sum(like.map((row) => (keyOf(row) === key ? (row[measure ?? m]?.at ?? ZERO) : ZERO)));
    return new Map(
      like.map(keyOf).map((key) => [key, { value: of(key, 'value'), units: of(key, 'units') }]),
    );
  }
  const { profile } = spread;
  const both = (weight: number) => {
    const at = parse(String(weight));
    return { value: at, units: at };
  };
  if ('weights' in profile) {
    return new Map(
      Object.entries(profile.weights).map(([day, w]) => [JSON.stringify([day]), both(w)]),
    );
  }
  const wanted = slice[profile.column];
  const range = (typeof wanted === 'object' && !Array.isArray(wanted) && wanted) || {};
  const days = seen.flatMap((row) => {
    const cell = row.keys[profile.column];
    return typeof cell === 'string' ? [firstDay(cell, profile.unit)] : [];
  });
  return new Map(
    days.map((day) => [
      JSON.stringify([day]),
      both('even' in profile ? 1 : daysIn(day, profile.unit, range)),
    ]),
  );
}
