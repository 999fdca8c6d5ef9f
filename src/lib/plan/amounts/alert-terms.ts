/** What an alert evaluates, from the columns and rows of the pivot. */
import type { AlertOf, LevelField } from '../../contract/alerts';
import type { ColumnEntry } from '../../contract/columns';
import { isLeaf } from '../../contract/columns';
import type { Layout } from '../../contract/stored-layout';
import { nameOf, SUFFIXES } from '../../pivot/rows/origin-names';
import { readBucket } from '../../pivot/values/time-unit';
import type { NamedMeasure } from './measure-words';

/** A field that an alert can group by, by its name in the pivot. */
export interface OfferedField {
  name: string;
  level: LevelField;
  /** Whether the rows of the pivot are grouped by it. */
  isRow: boolean;
}

/**
 * Returns the fields of a layout whose members an alert can have as groups: the columns and attributes by which rows
 * and columns are grouped, each once. Dates that are not grouped are days.
 *
 * @param columns those of the source, and the attributes of lookups
 */
export function offeredFields(
  { group_by = [], split_by = [], expressions = {} }: Layout,
  columns: readonly Pick<ColumnEntry, 'cname' | 'role'>[],
): OfferedField[] {
  const offered = new Map<string, OfferedField>();
  const names = [...group_by, ...split_by];
  for (const [i, name] of names.entries()) {
    const bucket = readBucket(expressions[name] ?? '');
    const column = columns.find(({ cname }) => cname === (bucket?.date ?? name));
    if (!column || !isLeaf(column.role)) continue;
    const unit = bucket?.unit ?? (column.role === 'date' ? ('day' as const) : undefined);
    const level: LevelField = { field: column.cname, ...(unit && { unit }) };
    // Of several units of a date the innermost has the groups.
    offered.set(column.cname, { name, level, isRow: i < group_by.length });
  }
  return [...offered.values()];
}

/** Returns what a column of the pivot shows of a measure; null for a column that no alert can evaluate. */
export function evaluated(
  column: string,
  measures: readonly NamedMeasure[],
): { measure: string; of: AlertOf } | null {
  for (const { key, column: own } of measures) {
    if (column === own) return { measure: key, of: 'amount' };
    if (column === nameOf(own, 'difference', SUFFIXES)) return { measure: key, of: 'difference' };
    if (column === nameOf(own, 'percent', SUFFIXES)) return { measure: key, of: 'difference_pct' };
  }
  return null;
}
