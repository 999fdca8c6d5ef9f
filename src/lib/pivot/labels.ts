import { toScalar } from './cell-value';
import type { CellValue, ColumnType } from './engine-types';

/** How a column's values are written: as its type, or as the calendar bucket that they are. */
type LabelStyle = ColumnType | 'month' | 'year';

const MONTH = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A group's value as it is shown. The empty value, the empty text and the text "null" all differ. */
export function label(value: CellValue, style: LabelStyle | undefined): string {
  if (value === null) return '(empty)';
  if (value === '') return '(blank)';
  if (typeof value === 'number' && style === 'month') return MONTH.format(value);
  if (typeof value === 'number' && style === 'year')
    return String(new Date(value).getUTCFullYear());
  if (style === 'datetime')
    return String(toScalar(value, style)).replace('T', ' ').replace('Z', '');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(toScalar(value, style === 'month' || style === 'year' ? 'date' : style));
}

/** The style of a layout's column: its type, or the bucket that its expression makes. */
export function labelStyle(type: ColumnType | undefined, expression: string | undefined) {
  const bucket =
    expression && /^\s*bucket\(\s*"(?:[^"\\]|\\.)*"\s*,\s*'([MY])'\s*\)\s*$/.exec(expression);
  if (bucket && (type === 'date' || type === 'datetime'))
    return bucket[1] === 'M' ? 'month' : 'year';
  return type;
}

/**
 * Labels of a split view's columns in the engine's own form, `value|…|measure`. Inside values, another
 * character replaces the separator; invisible characters keep labels apart that would be equal.
 */
export function columnLabels(
  paths: readonly (readonly CellValue[] | undefined)[],
  measures: readonly string[],
  styles: readonly (LabelStyle | undefined)[],
): string[] {
  const used = new Set<string>();
  return paths.map((path, x) => {
    const values = (path ?? []).map((value, i) => label(value, styles[i]).replaceAll('|', '│'));
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
