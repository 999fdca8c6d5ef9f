import type { CellValue, ColumnType } from './cell-value';
import { toScalar } from './cell-value';

/** How a column's values are written: a calendar bucket of a date, or its type. */
export type LabelKind = ColumnType | 'month' | 'year';

const MONTH = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A group's value as it is shown. The empty value, the empty text and the text "null" all differ. */
export function label(value: CellValue, kind: LabelKind | undefined): string {
  if (value === null) return '(empty)';
  if (value === '') return '(blank)';
  if (typeof value === 'number' && kind === 'month') return MONTH.format(value);
  if (typeof value === 'number' && kind === 'year') return String(new Date(value).getUTCFullYear());
  if (kind === 'datetime') return String(toScalar(value, kind)).replace('T', ' ').replace('Z', '');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(toScalar(value, kind === 'month' || kind === 'year' ? 'date' : kind));
}

/** The kind of a layout's column: its type, or the bucket its expression makes. */
export function kindOf(type: ColumnType | undefined, expression: string | undefined) {
  const bucket =
    expression && /^\s*bucket\(\s*"(?:[^"\\]|\\.)*"\s*,\s*'([MY])'\s*\)\s*$/.exec(expression);
  if (bucket && (type === 'date' || type === 'datetime'))
    return bucket[1] === 'M' ? 'month' : 'year';
  return type;
}

/**
 * Labels of a split view's columns in the engine's own form, `value|…|measure`: what separates them
 * is replaced inside values, and columns that would read alike are kept apart by marks nobody sees.
 */
export function columnLabels(
  paths: readonly (readonly CellValue[] | undefined)[],
  measures: readonly string[],
  kinds: readonly (LabelKind | undefined)[],
): string[] {
  const used = new Set<string>();
  return paths.map((path, x) => {
    const values = (path ?? []).map((value, i) => label(value, kinds[i]).replaceAll('|', '│'));
    const measure = measures[x % measures.length] ?? '';
    for (;;) {
      const text = [...values, measure].join('|');
      if (!used.has(text)) {
        used.add(text);
        return text;
      }
      values[values.length - 1] += '\u200b';
    }
  });
}
