/** How far the grid scrolls: to its last column and its last row. */
import type { RegularTable, TableData } from '../../values/engine-types';

/**
 * Lets the table scroll to its last column. The table measures columns while it draws them, but only uses the new
 * widths if its first column has changed; otherwise it scrolls as far as the widths of before a change reach.
 */
export function scrollByMeasuredWidths(table: RegularTable): void {
  const updateWidth = table._update_virtual_panel_width.bind(table);
  table._update_virtual_panel_width = (_, columns) => updateWidth(true, columns);
  const startOf = table._calc_start_column.bind(table);
  // From a fraction of a column, the table would fetch missing columns one place too early.
  table._calc_start_column = () => Math.floor(startOf());
}

/**
 * Tells the table the number of its headers before a drawing, which decides how far rows and columns scroll. The
 * table itself looks up that of the drawing before.
 */
export function noteHeaders(
  table: RegularTable,
  { num_row_headers, num_column_headers }: TableData,
): void {
  const { config } = table._view_cache;
  config.row_pivots = Array<number>(num_row_headers).fill(0);
  config.column_pivots = Array<number>(num_column_headers).fill(0);
}
