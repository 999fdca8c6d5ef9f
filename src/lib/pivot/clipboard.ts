export interface CopiedCell {
  row: string;
  column: string;
  value: number | null;
}

/** Cells as a small table with their headers, tabs between: what a spreadsheet pastes. */
export function asTable(cells: readonly CopiedCell[]): string {
  const columns = [...new Set(cells.map(({ column }) => column))];
  const rows = [...new Set(cells.map(({ row }) => row))];
  const values = new Map(cells.map(({ row, column, value }) => [`${row}\n${column}`, value]));
  const lines = rows.map((row) => [
    row,
    ...columns.map((column) => String(values.get(`${row}\n${column}`) ?? '')),
  ]);
  return [['', ...columns], ...lines].map((line) => line.join('\t')).join('\n');
}
