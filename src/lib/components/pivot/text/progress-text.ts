/** Formats the progress of a download. */
import type { Progress } from '$lib/plan/version/download';
import { formatMegabytes, plural } from '../../format';

/** Returns the progress of a download as text. */
export function textOf({ bytes, total, rows }: Progress): string {
  const counted = rows === null ? '' : `${plural(rows, 'row')} · `;
  const of = total ? ` of ${formatMegabytes(total)}` : '';
  return `${counted}${formatMegabytes(bytes)}${of}`;
}
