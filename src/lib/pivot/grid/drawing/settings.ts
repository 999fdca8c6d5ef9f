/** The stored settings of the grid's columns. */
import * as v from 'valibot';
import { byColumn } from '../../../contract/primitives';
import type { ColumnSettings } from './widths';

const Settings = v.object({
  columns: v.optional(byColumn(v.object({ column_size_override: v.optional(v.number()) })), {}),
});

/** Reads the settings of columns from a layout's `plugin_config`; empty if they are invalid. */
export function readSettings(stored: unknown): Record<string, ColumnSettings> {
  const read = v.safeParse(Settings, stored);
  if (!read.success) return {};
  return Object.fromEntries(
    Object.entries(read.output.columns).map(([name, { column_size_override: width }]) => [
      name,
      width === undefined ? {} : { column_size_override: width },
    ]),
  );
}
