/** The views of a published version. */
import { isMeasure, type LeafRole, type MeasureRole } from '../../contract/columns';
import { CHANGES_SUFFIX, PLANS_SCHEMA } from '../../contract/published';
import { groupedBy } from './grain';
import type { Identifier, SqlText } from './quote';
import { commas, ident, literal, qualified, sql } from './quote';
import { excludeClause } from './slice';
import { netted } from './templates/leaves';
import { freeName } from './templates/lists';

/** A column of a forecast table, as the generated SQL uses it. */
export interface PublishedColumn {
  name: string;
  role: LeafRole | MeasureRole;
  type: SqlText;
  /** The label of the source's column; null without one. */
  label: string | null;
}

/** A view of a published version. */
export interface PublishedView {
  /** Its name in the schema, unquoted. */
  name: string;
  select: SqlText;
  /** The comments of its columns; null for a column without one. */
  comments: ReadonlyMap<string, string | null>;
}

/** The names of both views of a published version, unquoted. */
export const viewNames = (name: string) => ({ plan: name, changes: `${name}${CHANGES_SUFFIX}` });

/** A view with its schema, quoted. */
export const plansView = (name: string): Identifier => qualified(PLANS_SCHEMA, name);

/** The columns of an entry in the view of the changes: their names, what they are, and their place in the log. */
const ENTRY: readonly (readonly [name: string, comment: string, value: SqlText])[] = [
  ['pf_logid', 'Log entry', sql`l.id`],
  ['pf_op', 'Operation', sql`l.operation`],
  ['pf_user', 'User', sql`l.pf_user`],
  ['pf_stamp', 'Time', sql`l.stamp`],
  ['pf_note', 'Note', sql`l.note`],
];

/**
 * The views of a version: its leaves with their amounts netted, and its rows with their log entries. Both have the rows
 * that operations see, so their sums are equal. A row by SQL may have no log entry.
 *
 * @param iters the origins that operations skip
 */
export function publishedViews(
  name: string,
  table: Identifier,
  columns: readonly PublishedColumn[],
  iters: readonly string[],
): PublishedView[] {
  const names = viewNames(name);
  const leaves = columns.filter(({ role }) => !isMeasure(role));
  const amounts = columns.map((c) =>
    isMeasure(c.role) ? sql`${netted(c)} AS ${ident(c.name)}` : ident(c.name),
  );
  const groups = leaves.length > 0 ? commas(groupedBy(leaves)) : sql`()`;
  const labels = columns.map((c) => [c.name, c.label] as const);
  const taken = columns.map((c) => c.name);
  const entry = ENTRY.map(([wish, ...others]) => [freeName(wish, taken), ...others] as const);
  const own = [
    ...columns.map((c) => sql`f.${ident(c.name)}`),
    ...entry.map(([as, , value]) => sql`${value} AS ${ident(as)}`),
  ];
  return [
    {
      name: names.plan,
      select: sql`SELECT ${commas(amounts)} FROM ${table} WHERE ${excludeClause(iters)} GROUP BY ${groups}`,
      comments: new Map(labels),
    },
    {
      name: names.changes,
      select: sql`SELECT ${commas(own)} FROM ${table} AS f LEFT JOIN pf.log AS l ON l.id = f.pf_logid WHERE ${excludeClause(iters)}`,
      comments: new Map([...labels, ...entry.map(([as, comment]) => [as, comment] as const)]),
    },
  ];
}

/** A comment as SQL. */
export const commentText = (text: string | null): SqlText =>
  text === null ? sql`NULL` : literal(text);
