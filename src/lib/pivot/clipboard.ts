import type { CellIdentity, ReadCell } from './cell';
import { parseRows } from './columns-json';
import { label } from './labels';
import type { Shown } from './shown';

/** All of the view as text, headers first, tabs between: what a spreadsheet pastes. */
export async function copyView(shown: Shown): Promise<string> {
  const { view, reader } = shown;
  if (!view || !reader) return '';
  const { group_by, split_by } = reader.config;
  const { paths, columns } = parseRows(await shown.displayed(view).to_columns_string());
  const names = shown.labels;
  const headers = split_by.map((_, level) => [
    ...group_by.map(() => ''),
    ...names.map((name) => name.split('|')[level] ?? ''),
  ]);
  const titles = [...group_by, ...names.map((name) => name.split('|').at(-1) ?? '')];
  const count = paths?.length ?? columns.get(names[0] ?? '')?.length ?? 0;
  const body = Array.from({ length: count }, (_, y) => {
    const path = paths?.[y] ?? [];
    const head = group_by.map((_, i) => (path.length === 0 && i === 0 ? 'Total' : (path[i] ?? '')));
    return [...head, ...names.map((name) => String(columns.get(name)?.[y] ?? ''))];
  });
  return [...headers, titles, ...body].map((line) => line.join('\t')).join('\n');
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
  return {
    row: row.join(' / ') || 'Total',
    column: [...columns, ...(measure ? [measure] : [])].join(' / '),
  };
}
