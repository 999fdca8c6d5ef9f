import type { CellIdentity, ReadCell } from '../cell';
import { tidy } from '../cell-value';
import { headParts, TOTAL } from './heads';
import { label } from './labels';
import type { Shown } from './shown';

/** All of the view as text, headers first, tabs between: what a spreadsheet pastes. */
export async function copyView(shown: Shown): Promise<string> {
  const { group_by = [], split_by = [] } = shown.reader?.config ?? {};
  const { paths, columns, values } = await shown.readAll();
  const parts = columns.map((column) => headParts(column, shown));
  const heads = split_by.map((_, level) => [
    ...group_by.map(() => ''),
    ...parts.map((part) => part[level] ?? ''),
  ]);
  const titles = [...group_by, ...columns.map(({ measure }) => measure)];
  const count = group_by.length > 0 ? paths.length : (values.get(0)?.length ?? 0);
  const body = Array.from({ length: count }, (_, y) => {
    const path = paths[y] ?? [];
    const head = group_by.map((name, i) => {
      if (path.length === 0) return i === 0 ? TOTAL : '';
      return i < path.length ? label(path[i] ?? null, shown.styleOf(name)) : '';
    });
    const row = columns.map((_, x) => values.get(x)?.[y] ?? '');
    return [
      ...head,
      ...row.map((value) => String(typeof value === 'number' ? tidy(value) : value)),
    ];
  });
  return [...heads, titles, ...body].map((line) => line.join('\t')).join('\n');
}

/** Some cells as a small table with their headers, tabs between; the empty text for no cells. */
export function copyCells(shown: Shown, cells: readonly ReadCell[]): string {
  if (cells.length === 0) return '';
  const copied = cells.map((cell) => ({ ...headersOf(shown, cell), value: cell.value }));
  const columns = [...new Set(copied.map(({ column }) => column))];
  const rows = [...new Set(copied.map(({ row }) => row))];
  const values = new Map(copied.map(({ row, column, value }) => [`${row}\n${column}`, value]));
  const lines = rows.map((row) => [
    row,
    ...columns.map((column) => String(values.get(`${row}\n${column}`) ?? '')),
  ]);
  return [['', ...columns], ...lines].map((line) => line.join('\t')).join('\n');
}

/** Row and column headers of one cell as text. */
function headersOf(shown: Shown, { rowPath, columnPath, measure }: CellIdentity) {
  const config = shown.reader?.config;
  const row = rowPath.map((value, i) => label(value, shown.styleOf(config?.group_by[i])));
  const columns = (columnPath ?? []).map((value, i) =>
    label(value, shown.styleOf(config?.split_by[i])),
  );
  if (columnPath?.length === 0) columns.push(TOTAL);
  return {
    row: row.join(' / ') || TOTAL,
    column: [...columns, ...(measure ? [measure] : [])].join(' / '),
  };
}
