/** The accuracy of a forecast as CSV. */
import type { Accuracy } from '$lib/contract/accuracy';
import { protectedText } from '$lib/contract/formula-text';
import { figureOf } from '$lib/contract/measures';

/**
 * Quotes a field if it needs it (RFC 4180), and protects texts that a spreadsheet would run; null becomes an empty
 * field.
 */
function field(value: string | number | boolean | null): string {
  const text = typeof value === 'string' ? protectedText(value) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Returns the errors after each entry, one line per entry, with a line of names. Shares: 0.12 is 12 %. Value and units
 * always have columns, further measures if the source has them.
 */
export function accuracyCsv({ entries, reference, forecast }: Accuracy): string {
  const names = ['logid', 'operation', 'user', 'time', 'note'];
  const keys = ['value', 'units', ...Object.keys(forecast.measures ?? {})];
  const figures = keys.flatMap((key) => [`${key}_wape`, `${key}_bias`]);
  const figuresOf = (errors: Accuracy['forecast']) =>
    keys.flatMap((key) => {
      const error = figureOf(errors, key);
      return [error?.wape ?? null, error?.bias ?? null];
    });
  const lines = entries.map((entry) => {
    const { logid, operation, pf_user, stamp, note } = entry;
    return [logid, operation, pf_user, stamp, note, ...figuresOf(entry)];
  });
  const all = [
    [...names, ...figures],
    ...lines,
    ...(reference ? [[null, 'reference', null, null, null, ...figuresOf(reference)]] : []),
  ];
  return all.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}
