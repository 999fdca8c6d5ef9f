import {
  absolute,
  add,
  decimalText,
  divide,
  isLess,
  isZero,
  multiply,
  negate,
  parse,
  round,
  scaleOf,
  subtract,
  sum,
  ZERO,
  type Fraction,
} from './exact';

/**
 * A model of the operations, computed row by row in exact fractions from the rules of the contract. It shares
 * nothing with the SQL that it is compared with.
 */

export type Cell = string | number | boolean | null;

/** `scale` null: a numeric without one. */
export type Kind = { exact: true; scale: number | null } | { exact: false };

export interface Shape {
  /** Dimensions and dates in the order of the forecast table. */
  keys: { name: string; text: boolean }[];
  /** Period dimensions: the date that each depends on, and its value for a day. */
  derived: Record<string, { date: string; of: (day: string | null) => Cell }>;
  value: { name: string; kind: Kind } | null;
  units: { name: string; kind: Kind } | null;
}

export interface Amount {
  at: Fraction;
  /** Number of decimals that it is written with. */
  scale: number;
}

export interface ForecastRow {
  keys: Record<string, Cell>;
  value: Amount | null;
  units: Amount | null;
  iter: string;
}

export interface Written {
  keys: Record<string, Cell>;
  value: Fraction;
  units: Fraction;
}

/** Days from one to another, both included. */
export type DateRange = { from?: string; to?: string };

export type Slice = Record<string, Cell | Cell[] | DateRange>;

/** The rows that an operation writes, or the status that it is refused with. */
export type Outcome = { rows: Written[]; digits?: Digits } | { status: number };

/** Number of decimals of the written amounts. */
type Digits = Record<Measure, number>;

const REFUSED: Outcome = { status: 422 };
const MEASURES = ['value', 'units'] as const;
type Measure = (typeof MEASURES)[number];

interface Leaf {
  keys: Record<string, Cell>;
  value: Amount;
  units: Amount;
}

/** Whether a row is in a slice. Columns that the shape lacks are ignored. */
export function inSlice(row: Pick<ForecastRow, 'keys'>, slice: Slice, shape: Shape): boolean {
  return Object.entries(slice).every(([name, wanted]) => {
    if (!shape.keys.some((k) => k.name === name)) return true;
    const cell = row.keys[name] ?? null;
    if (isRange(wanted)) {
      const { from = '', to = '9999' } = wanted;
      return typeof cell === 'string' && from <= cell && cell <= to;
    }
    return (Array.isArray(wanted) ? wanted : [wanted]).some((w) => w === cell);
  });
}

const isRange = (wanted: Slice[string]): wanted is DateRange =>
  typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted);

function compareCells(a: Cell, b: Cell, text: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (text) return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
  return a < b ? -1 : 1;
}

/** Doubles that cancel out leave noise. A sum below this fraction of its parts counts as zero. */
const NOISE = parse('1e-12');

const netsToNothing = (amounts: readonly Fraction[], kind: Kind | undefined): boolean => {
  const net = absolute(sum(amounts));
  if (kind?.exact !== false) return isZero(net);
  return !isLess(multiply(NOISE, sum(amounts.map(absolute))), net);
};

function total(amounts: readonly Amount[], kind: Kind | undefined): Amount {
  const all = amounts.map((a) => a.at);
  return {
    at: netsToNothing(all, kind) ? ZERO : sum(all),
    scale: Math.max(0, ...amounts.map((a) => a.scale)),
  };
}

/** The leaves of a slice in their fixed order; undefined if it has no rows. */
function net(
  rows: readonly ForecastRow[],
  slice: Slice,
  exclude: readonly string[],
  shape: Shape,
  hold: readonly Slice[] = [],
): Leaf[] | undefined {
  const leaves = new Map<string, { keys: ForecastRow['keys']; value: Amount[]; units: Amount[] }>();
  for (const row of rows) {
    if (exclude.includes(row.iter) || !inSlice(row, slice, shape)) continue;
    if (hold.some((held) => inSlice(row, held, shape))) continue;
    const id = JSON.stringify(shape.keys.map((k) => row.keys[k.name] ?? null));
    const leaf = leaves.get(id) ?? { keys: row.keys, value: [], units: [] };
    for (const m of MEASURES) if (row[m]) leaf[m].push(row[m]);
    leaves.set(id, leaf);
  }
  if (leaves.size === 0) return undefined;
  const netted = [...leaves.values()].map(({ keys, value, units }) => ({
    keys,
    value: total(value, shape.value?.kind),
    units: total(units, shape.units?.kind),
  }));
  return netted.sort((a, b) => {
    for (const { name, text } of shape.keys) {
      const order = compareCells(a.keys[name] ?? null, b.keys[name] ?? null, text);
      if (order !== 0) return order;
    }
    return 0;
  });
}

const netsToSomething = (leaf: Leaf): boolean => MEASURES.some((m) => !isZero(leaf[m].at));

/** Number of decimals that parts of a measure are rounded to; null if it is not rounded. */
function decimals(kind: Kind, leaves: readonly Leaf[], m: Measure, asked: string | null) {
  if (!kind.exact) return null;
  if (kind.scale !== null) return kind.scale;
  return Math.max(2, ...leaves.map((l) => l[m].scale), asked === null ? 0 : scaleOf(asked));
}

/** The parts of a total: each is the rounded running total minus the previous one. */
function telescope(exact: readonly Fraction[], scale: number | null): Fraction[] {
  if (scale === null) return [...exact];
  let running = ZERO;
  let before = ZERO;
  return exact.map((part) => {
    running = add(running, part);
    const upTo = round(running, scale);
    const delta = subtract(upTo, before);
    before = upTo;
    return delta;
  });
}

const somethingWritten = (rows: Written[]): Outcome => {
  const written = rows.filter((r) => !isZero(r.value) || !isZero(r.units));
  return written.length > 0 ? { rows: written } : REFUSED;
};

export interface State {
  rows: readonly ForecastRow[];
  exclude: readonly string[];
  shape: Shape;
}

/** The amount of a scale, and how it is spread. */
export type Change =
  | { pct: number }
  | { value?: number | string; units?: number | string; spread?: 'equal' | 'price' };

/** The change of a scale that gives a slice its requested totals. An exact measure is required. */
export function toTotals(
  { rows, exclude, shape }: State,
  slice: Slice,
  totals: Partial<Record<Measure, number | string>>,
): Exclude<Change, { pct: number }> {
  const seen = rows.filter((row) => !exclude.includes(row.iter) && inSlice(row, slice, shape));
  const increment = (m: Measure): Partial<Record<Measure, string | number>> => {
    const wanted = totals[m];
    const kind = shape[m]?.kind;
    if (wanted === undefined || !kind?.exact) return {};
    const now = seen.flatMap((row) => row[m] ?? []);
    const total = parse(String(wanted));
    const gap = subtract(
      kind.scale === null ? total : round(total, kind.scale),
      sum(now.map((amount) => amount.at)),
    );
    if (isZero(gap)) return { [m]: 0 };
    return { [m]: decimalText(gap, Math.max(scaleOf(String(wanted)), ...now.map((a) => a.scale))) };
  };
  return { ...increment('value'), ...increment('units') };
}

export function scale(
  { rows, exclude, shape }: State,
  slice: Slice,
  change: Change,
  hold: readonly Slice[] = [],
): Outcome {
  const leaves = net(rows, slice, exclude, shape, hold);
  const parts: Partial<Record<Measure, Fraction[]>> = {};
  for (const m of MEASURES) {
    const asked = 'pct' in change ? null : (change[m] ?? null);
    if (asked !== null && !shape[m]) return REFUSED;
    if (asked && shape[m]!.kind.exact && shape[m]!.kind.scale !== null) {
      if (isZero(round(parse(String(asked)), shape[m]!.kind.scale))) return REFUSED;
    }
  }
  const isKey = (name: string) => shape.keys.some((k) => k.name === name);
  const namesNone = (names: string[]) => names.length > 0 && !names.some(isKey);
  if (hold.some((held) => namesNone(Object.keys(held)))) return { status: 400 };
  if (!leaves) return REFUSED;
  const digits: Digits = { value: 0, units: 0 };
  let wholeUnits = ZERO;
  // Units come first, since value may depend on the new units.
  for (const m of ['units', 'value'] as const) {
    const measure = shape[m];
    if (!measure) continue;
    const own = leaves.map((l) => l[m].at);
    const asked = 'pct' in change ? null : String(change[m] ?? 0);
    const places = decimals(measure.kind, leaves, m, asked);
    digits[m] = places ?? 0;
    if ('pct' in change) {
      const share = divide(parse(String(change.pct)), parse('100'));
      parts[m] = telescope(
        own.map((a) => multiply(share, a)),
        places,
      );
      continue;
    }
    const increment = parse(asked!);
    if (isZero(increment)) continue;
    const other = MEASURES.find((o) => o !== m)!;
    const borrowed = leaves.map((l) => l[other].at);
    let weights = own;
    if (change.spread === 'equal') {
      weights = leaves.map(() => parse('1'));
    } else if (change.spread === 'price' && m === 'value') {
      const share = divide(parse(String(change.units)), wholeUnits);
      weights = leaves.map(({ value, units }, i) =>
        isZero(units.at)
          ? multiply(share, value.at)
          : divide(multiply(parts.units![i]!, value.at), units.at),
      );
    } else if (own.every(isZero)) {
      weights =
        shape[other] && !netsToNothing(borrowed, shape[other].kind)
          ? borrowed
          : leaves.map(() => parse('1'));
    }
    const whole = sum(weights);
    const swing = sum(weights.map(absolute));
    if (isZero(whole) || isLess(multiply(parse('1000'), absolute(whole)), swing)) return REFUSED;
    if (m === 'units') wholeUnits = whole;
    parts[m] = telescope(
      weights.map((w) => divide(multiply(increment, w), whole)),
      places,
    );
  }
  const outcome = somethingWritten(
    leaves.map(({ keys }, i) => ({
      keys,
      value: parts.value?.[i] ?? ZERO,
      units: parts.units?.[i] ?? ZERO,
    })),
  );
  return { ...outcome, digits };
}

/** Several scales in order, each on the result of those before it. One refusal refuses all. */
export function scaleInTurn(
  state: State,
  edits: readonly { slice: Slice; change: Change }[],
  hold: readonly Slice[],
): Outcome {
  const all: Written[] = [];
  let { rows } = state;
  for (const { slice, change } of edits) {
    const outcome = scale({ ...state, rows }, slice, change, hold);
    if (!('rows' in outcome)) return outcome;
    all.push(...outcome.rows);
    rows = [...rows, ...asRows(outcome, state.shape)];
  }
  return { rows: all };
}

/** A scale that keeps the totals of a containing slice: what the slice gains is taken from its other rows. */
export function scaleKeeping(
  state: State,
  slice: Slice,
  change: Change,
  hold: readonly Slice[],
  keep: Slice,
): Outcome {
  const first = scale(state, slice, change, hold);
  if (!('rows' in first)) return first;
  const { exclude, shape } = state;
  const within = state.rows.filter((r) => !exclude.includes(r.iter) && inSlice(r, keep, shape));
  const total = (m: Measure) => {
    const amounts = within.flatMap((row) => row[m] ?? []);
    const scale = Math.max(0, ...amounts.map((amount) => amount.scale));
    return shape[m] ? { [m]: decimalText(sum(amounts.map((a) => a.at)), scale) } : {};
  };
  const rows = [...state.rows, ...asRows(first, shape)];
  const back = toTotals({ ...state, rows }, keep, { ...total('value'), ...total('units') });
  if (MEASURES.every((m) => !Number(back[m] ?? 0))) return first;
  const second = scale({ ...state, rows }, keep, back, [...hold, slice]);
  return 'rows' in second ? { rows: [...first.rows, ...second.rows] } : second;
}

/** The written rows as rows of the version. */
function asRows(
  { rows, digits }: Extract<Outcome, { rows: unknown }>,
  shape: Shape,
): ForecastRow[] {
  const amount = (m: Measure, at: Fraction) => (shape[m] ? { at, scale: digits?.[m] ?? 0 } : null);
  return rows.map(({ keys, value, units }) => ({
    keys,
    value: amount('value', value),
    units: amount('units', units),
    iter: 'scale',
  }));
}

/** A day moved by whole months; if the new month is shorter, its last day is taken. */
function monthsLater(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0));
  first.setUTCDate(Math.min(date, last.getUTCDate()));
  return first.toISOString().slice(0, 10);
}

/** The months by which dates are moved: column → months. */
export type Shift = Record<string, number>;

/** Keys after a `set` and a shift. The periods of the changed dates are derived again. */
function moved(
  keys: Record<string, Cell>,
  set: Record<string, Cell>,
  shape: Shape,
  shift: Shift = {},
) {
  const target = { ...keys, ...set };
  for (const [name, months] of Object.entries(shift)) {
    const day = keys[name] ?? null;
    target[name] = day === null ? null : monthsLater(String(day), months);
  }
  for (const [name, { date, of }] of Object.entries(shape.derived)) {
    if (date in set || date in shift) target[name] = of(target[date] as string | null);
  }
  return target;
}

export function recode(
  { rows, exclude, shape }: State,
  slice: Slice,
  set: Record<string, Cell>,
  { shift = {}, factor = 1 }: { shift?: Shift; factor?: number } = {},
): Outcome {
  const leaves = net(rows, slice, exclude, shape)?.filter(netsToSomething) ?? [];
  const sides = leaves
    .map((leaf) => ({ leaf, target: moved(leaf.keys, set, shape, shift) }))
    .filter(({ leaf, target }) =>
      shape.keys.some((k) => (leaf.keys[k.name] ?? null) !== (target[k.name] ?? null)),
    );
  const moving = sides.map(({ leaf }) => leaf);
  const parts = (m: Measure) => {
    if (factor === 1) return moving.map((leaf) => leaf[m].at);
    const share = moving.map((leaf) => multiply(parse(String(factor)), leaf[m].at));
    return shape[m] ? telescope(share, decimals(shape[m].kind, moving, m, null)) : [];
  };
  const [value, units] = [parts('value'), parts('units')];
  const written = sides
    .map(({ leaf, target }, i) => ({
      ...{ from: leaf.keys, to: target },
      ...{ value: value[i] ?? ZERO, units: units[i] ?? ZERO },
    }))
    .filter((part) => !isZero(part.value) || !isZero(part.units));
  if (written.length === 0) return REFUSED;
  return {
    rows: [
      ...written.map(({ from, value, units }) => ({
        keys: from,
        value: negate(value),
        units: negate(units),
      })),
      ...written.map(({ to, value, units }) => ({ keys: to, value, units })),
    ],
  };
}

export function clone(
  { rows, exclude, shape }: State,
  slice: Slice,
  set: Record<string, Cell>,
  factor: number,
  { shift = {}, ramp }: { shift?: Shift; ramp?: (keys: Record<string, Cell>) => number } = {},
): Outcome {
  const leaves = net(rows, slice, exclude, shape)?.filter(netsToSomething) ?? [];
  const parts = (m: Measure) => {
    const measure = shape[m];
    if (!measure) return [];
    return telescope(
      leaves.map((l) => {
        const own = ramp ? ramp(moved(l.keys, set, shape, shift)) : factor;
        return multiply(parse(String(own)), l[m].at);
      }),
      decimals(measure.kind, leaves, m, null),
    );
  };
  const value = parts('value');
  const units = parts('units');
  return somethingWritten(
    leaves.map(({ keys }, i) => ({
      keys: moved(keys, set, shape, shift),
      value: value[i] ?? ZERO,
      units: units[i] ?? ZERO,
    })),
  );
}
