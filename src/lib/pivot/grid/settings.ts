import * as v from 'valibot';
import { byColumn } from '../../contract/primitives';
import type { ColumnFormat } from './format';
import type { ColumnSettings } from './widths';

const Settings = v.object({
  columns: v.optional(byColumn(v.object({ column_size_override: v.optional(v.number()) })), {}),
});

const Format = v.object({ number_format: v.optional(v.record(v.string(), v.unknown())) });

/** The settings of columns in a layout's `plugin_config`; none if they cannot be read. */
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

/** How columns are written, as a layout's `columns_config` says it. What no browser can write is left out. */
export function readFormats(stored: unknown): ReadonlyMap<string, ColumnFormat> {
  const read = v.safeParse(byColumn(v.unknown()), stored);
  const formats = new Map<string, ColumnFormat>();
  for (const [name, entry] of Object.entries(read.success ? read.output : {})) {
    const format = v.safeParse(Format, entry);
    const wanted = format.success ? format.output.number_format : undefined;
    if (wanted && canWrite(wanted)) formats.set(name, { number_format: wanted });
  }
  return formats;
}

function canWrite(format: Intl.NumberFormatOptions): boolean {
  try {
    new Intl.NumberFormat(undefined, format);
    return true;
  } catch {
    return false;
  }
}
