import { cellKey, pathKey, type CellIdentity, type ReadCell } from '../cell';
import { tidy } from '../cell-value';
import { headParts, TOTAL } from './heads';
import { label } from './labels';
import type { Shown } from './shown';

/** All of the view as text, headers first, tabs between: what a spreadsheet pastes. */
export async function copyView(shown: Shown): Promise<string> {
  const { group_by, split_by, paths, columns, values, count } = await shown.readAll();
  const parts = columns.map((column) => headParts(column, shown));
  const heads = split_by.map((_, level) => [
    ...group_by.map(() => ''),
    ...parts.map((part) => part[level] ?? ''),
  ]);
  const titles = [...group_by, ...columns.map(({ measure }) => measure)];
  const body = Array.from({ length: count }, (_, y) => {
    const path = paths[y] ?? [];
    const head = group_by.map((name, i) => {
      if (path.length === 0) return i === 0 ? TOTAL : '';
      return i < path.length ? label(path[i] ?? null, shown.styleOf(name)) : '';
    });
    const row = columns.map((_, x) => values[x]?.[y] ?? '');
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
  // By what they are: a member may have the name of a total.
  const rows = new Map<string, Pick<CellIdentity, 'rowPath'>>();
  const columns = new Map<string, Omit<CellIdentity, 'rowPath'>>();
  for (const { rowPath, columnPath, measure } of cells) {
    rows.set(pathKey(rowPath), { rowPath });
    columns.set(JSON.stringify([columnPath, measure]), { columnPath, measure });
  }
  const values = new Map(cells.map((cell) => [cellKey(cell), cell.value]));
  const across = [...columns.values()];
  const lines = [...rows.values()].map(({ rowPath }) => [
    rowHeader(shown, rowPath),
    ...across.map((column) => String(values.get(cellKey({ rowPath, ...column })) ?? '')),
  ]);
  const heads = across.map((column) => columnHeader(shown, column));
  return [['', ...heads], ...lines].map((line) => line.join('\t')).join('\n');
}

function rowHeader(shown: Shown, rowPath: CellIdentity['rowPath']): string {
  const { group_by = [] } = shown.reader?.config ?? {};
  return rowPath.map((value, i) => label(value, shown.styleOf(group_by[i]))).join(' / ') || TOTAL;
}

function columnHeader(
  shown: Shown,
  { columnPath, measure }: Omit<CellIdentity, 'rowPath'>,
): string {
  const { split_by = [] } = shown.reader?.config ?? {};
  const parts = (columnPath ?? []).map((value, i) => label(value, shown.styleOf(split_by[i])));
  if (columnPath?.length === 0) parts.push(TOTAL);
  return [...parts, ...(measure ? [measure] : [])].join(' / ');
}
