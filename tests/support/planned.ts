import { expect } from 'vitest';
import {
  absolute,
  add,
  isLess,
  multiply,
  ofDouble,
  parse,
  scaleOf,
  show,
  sum,
  toNumber,
  ZERO,
  type Fraction,
} from './exact';
import type { Amount, Cell, ForecastRow, Kind, Shape, Written } from './model';
import type { Answer } from './http';
import type { Service } from './service';

/** One column of a generated source table. */
export interface TableColumn {
  name: string;
  type: string;
  role: 'dimension' | 'date' | 'value' | 'units' | 'measure' | 'filter' | 'ignore';
  grain?: boolean;
  group?: string;
  period?: string;
}

export type SourceRow = Record<string, Cell>;

/** A version of a table of its own, made through the API, with the facts that a model needs. */
export interface Planned {
  id: number;
  sourceId: number;
  path: string;
  table: string;
  shape: Shape;
  grain: string[];
}

let made = 0;

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

function kindOf(type: string): Kind {
  if (['real', 'double precision'].includes(type)) return { exact: false };
  const constrained = /^numeric\(\d+, ?(-?\d+)\)$/.exec(type);
  if (constrained) return { exact: true, scale: Number(constrained[1]) };
  return { exact: true, scale: type === 'numeric' ? null : 0 };
}

/** Year and month of a day in the calendar, which covers 2018 to 2035. */
const PERIODS: Record<string, (day: string | null) => Cell> = {
  cal_year: (day) => (inCalendar(day) ? Number(day.slice(0, 4)) : null),
  period_key: (day) => (inCalendar(day) ? day.slice(0, 7) : null),
};
const inCalendar = (day: string | null): day is string =>
  day !== null && day >= '2018-01-01' && day <= '2035-12-31';

/** Creates the table, registers it, generates its SQL and creates a version without rows. */
export async function plan(
  { api, query }: Service,
  columns: readonly TableColumn[],
  rows: readonly SourceRow[],
  version: { exclude_iters?: string[] } = {},
): Promise<Planned> {
  made += 1;
  const tname = `Plan "${made}`;
  await query(
    `CREATE TABLE public.${quote(tname)} (${columns.map((c) => `${quote(c.name)} ${c.type}`).join(', ')})`,
  );
  if (rows.length > 0) {
    const names = columns.map((c) => quote(c.name)).join(', ');
    await query(
      `INSERT INTO public.${quote(tname)} (${names})
       SELECT ${names} FROM jsonb_to_recordset($1::jsonb)
         AS r (${columns.map((c) => `${quote(c.name)} ${c.type}`).join(', ')})`,
      [JSON.stringify(rows)],
    );
  }
  const must = (answer: Answer) => {
    expect(answer.body?.error).toBeUndefined();
    return answer.body;
  };
  const source = must(await api.post('/sources', { schema: 'public', tname }));
  must(
    await api.put(
      `/sources/${source.id}/columns`,
      columns.map((c, i) => ({
        cname: c.name,
        role: c.role,
        opos: i + 1,
        in_grain: c.grain ?? false,
        dim_group: c.group ?? null,
        dim_period_col: c.period ?? null,
      })),
    ),
  );
  must(await api.post(`/sources/${source.id}/sql`));
  const { id } = must(
    await api.post(`/sources/${source.id}/versions`, { name: 'Plan', ...version }),
  );
  const keys = columns.filter((c) => c.role === 'dimension' || c.role === 'date');
  const measure = (role: 'value' | 'units') => {
    const column = columns.find((c) => c.role === role);
    return column ? { name: column.name, kind: kindOf(column.type) } : null;
  };
  return {
    id,
    sourceId: source.id,
    path: `/versions/${id}`,
    table: `pf.${quote(`fc_${tname}_${id}`)}`,
    grain: keys.filter((c) => c.grain).map((c) => c.name),
    shape: {
      keys: keys.map((c) => ({ name: c.name, text: c.type === 'text' })),
      derived: Object.fromEntries(
        columns
          .filter((c) => c.period)
          .map((c) => [
            c.name,
            {
              date: columns.find((d) => d.role === 'date' && d.group === c.group)!.name,
              of: PERIODS[c.period!]!,
            },
          ]),
      ),
      value: measure('value'),
      units: measure('units'),
    },
  };
}

export interface StoredRow extends ForecastRow {
  logid: number;
  /** As in JSON. */
  plain: Record<string, Cell>;
}

/** The rows of the forecast table, ordered by `pf_id`. */
export async function stored(
  { query }: Service,
  { table, shape }: Planned,
  logid?: number,
): Promise<StoredRow[]> {
  const measures = (['value', 'units'] as const).filter((m) => shape[m]);
  const rows = await query(
    `SELECT ${[
      ...shape.keys.map((k) => quote(k.name)),
      ...measures.map((m) => `${quote(shape[m]!.name)}::text AS ${quote(shape[m]!.name)}`),
    ].join(', ')}, pf_id, pf_iter, pf_logid FROM ${table}
     ${logid === undefined ? '' : `WHERE pf_logid = ${logid}`} ORDER BY pf_id`,
  );
  return rows.map(({ pf_id, pf_iter, pf_logid, ...columns }) => {
    const amount = (m: 'value' | 'units'): Amount | null => {
      const text = shape[m] && (columns[shape[m].name] as string | null);
      if (text == null) return null;
      if (!shape[m]!.kind.exact) return { at: ofDouble(Number(text)), scale: 0 };
      return { at: parse(text), scale: scaleOf(text) };
    };
    const plain = { ...columns };
    for (const m of measures) {
      const name = shape[m]!.name;
      plain[name] = columns[name] === null ? null : Number(columns[name]);
    }
    return {
      keys: Object.fromEntries(shape.keys.map((k) => [k.name, columns[k.name]])),
      value: amount('value'),
      units: amount('units'),
      iter: pf_iter,
      logid: pf_logid,
      plain: { ...plain, pf_id, pf_iter, pf_logid },
    };
  });
}

/** Every row with its system columns, as text, in order, without the rows of the entry `but`. */
export async function bytes({ query }: Service, { table }: Planned, but = -1): Promise<string[]> {
  const rows = await query(
    `SELECT f::text AS row FROM ${table} AS f WHERE pf_logid <> ${but} ORDER BY pf_id`,
  );
  return rows.map((r) => r.row);
}

const showKeys = (shape: Shape, keys: Record<string, Cell>) =>
  JSON.stringify(shape.keys.map((k) => keys[k.name] ?? null));

/** Compares the rows of an entry with a model, to the last digit for exact measures. */
export function expectRows(
  { shape }: Planned,
  actual: readonly StoredRow[],
  wanted: readonly Written[],
): void {
  for (const row of actual) {
    // A measure that was not requested is exactly 0, never null.
    if (shape.value) expect(row.value).not.toBeNull();
    if (shape.units) expect(row.units).not.toBeNull();
  }
  const exact = (['value', 'units'] as const).every((m) => shape[m]?.kind.exact ?? true);
  if (exact) {
    const line = (keys: Record<string, Cell>, value: Fraction, units: Fraction) =>
      `${showKeys(shape, keys)} ${show(value)} ${show(units)}`;
    expect(
      actual.map((r) => line(r.keys, r.value?.at ?? ZERO, r.units?.at ?? ZERO)).sort(),
    ).toEqual(wanted.map((r) => line(r.keys, r.value, r.units)).sort());
    return;
  }
  for (const m of ['value', 'units'] as const) {
    const measure = shape[m];
    if (!measure) continue;
    const byKey = new Map<string, Fraction[]>();
    const put = (keys: Record<string, Cell>, at: Fraction) => {
      const key = showKeys(shape, keys);
      byKey.set(key, [...(byKey.get(key) ?? []), at]);
    };
    for (const r of wanted) put(r.keys, r[m]);
    for (const r of actual) put(r.keys, multiply(parse('-1'), r[m]!.at));
    const size = sum(wanted.map((r) => absolute(r[m])));
    // Parts that are spread by the doubles of another measure may round to a neighbouring unit.
    const unit = measure.kind.exact ? parse(`1e${-(measure.kind.scale ?? 2)}`) : ZERO;
    const slack = add(multiply(parse('1e-10'), size), unit);
    for (const [key, difference] of byKey) {
      if (isLess(slack, absolute(sum(difference)))) {
        expect(`${m} at ${key} is off by ${toNumber(sum(difference))}`).toBe('as the model says');
      }
    }
  }
}

/** Compares a sum with the requested amount: exactly, or for doubles to 1e-12 of the moved amount. */
export function expectSum(parts: readonly Fraction[], asked: Fraction, kind: Kind): void {
  const got = sum(parts);
  if (kind.exact) {
    expect(show(got)).toBe(show(asked));
    return;
  }
  const moved = sum(parts.map(absolute));
  const size = isLess(moved, absolute(asked)) ? absolute(asked) : moved;
  const off = absolute(add(got, multiply(parse('-1'), asked)));
  if (isLess(multiply(parse('1e-12'), size), off)) {
    expect(toNumber(got)).toBe(toNumber(asked));
  }
}

/** `pf_gkey` of the grain row that a row belongs to. */
export function grainKeyOf({ grain }: Planned, row: StoredRow): string {
  const part = (name: string) => {
    const cell = row.keys[name];
    return cell == null ? '\u001e' : String(cell);
  };
  return [...grain.map(part), row.iter, row.logid].join('\u001f');
}

/** Compares the answer of an operation with its rows: one by one, or aggregated to the grain. */
export function expectAnswer(
  planned: Planned,
  answer: Record<string, Cell>[],
  written: readonly StoredRow[],
  injected: { pf_note: string | null; pf_op: string },
): void {
  const { shape, grain } = planned;
  if (grain.length === 0) {
    expect(answer.map(({ pf_created_at: _, ...row }) => row)).toEqual(
      written.map((r) => ({ ...r.plain, ...injected })),
    );
    return;
  }
  const groups = new Map<string, StoredRow[]>();
  for (const row of written) {
    const key = grainKeyOf(planned, row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  expect(answer.map((r) => r.pf_gkey).sort()).toEqual([...groups.keys()].sort());
  for (const row of answer) {
    const group = groups.get(row.pf_gkey as string)!;
    const [first] = group;
    expect(row).toMatchObject({
      ...Object.fromEntries(grain.map((name) => [name, first!.keys[name] ?? null])),
      ...injected,
      pf_iter: first!.iter,
      pf_logid: first!.logid,
    });
    for (const m of ['value', 'units'] as const) {
      const measure = shape[m];
      if (!measure) continue;
      const total = sum(group.map((r) => r[m]!.at));
      const size = toNumber(sum(group.map((r) => absolute(r[m]!.at))));
      expect(Math.abs((row[measure.name] as number) - toNumber(total))).toBeLessThanOrEqual(
        1e-12 * size,
      );
    }
  }
}
