/** The accuracy of a forecast as CSV. */
import type { Accuracy } from '$lib/contract/accuracy';

/** Quotes a field if it needs it (RFC 4180); null becomes an empty field. */
function field(value: string | number | boolean | null): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the errors after each entry, one line per entry, with a line of names. Shares: 0.12 is 12 %. */
export function accuracyCsv({ entries, reference }: Accuracy): string {
  const names = ['logid', 'operation', 'user', 'time', 'note'];
  const figures = ['value_wape', 'value_bias', 'units_wape', 'units_bias'];
  const lines = entries.map(({ logid, operation, pf_user, stamp, note, value, units }) => [
    ...[logid, operation, pf_user, stamp, note],
    ...[value, units].flatMap((error) => [error?.wape ?? null, error?.bias ?? null]),
  ]);
  const ofReference = [reference?.value, reference?.units].flatMap((error) => [
    error?.wape ?? null,
    error?.bias ?? null,
  ]);
  const all = [
    [...names, ...figures],
    ...lines,
    ...(reference ? [[null, 'reference', null, null, null, ...ofReference]] : []),
  ];
  return all.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}
