/** Formats the progress of a download. */
import type { Progress } from '$lib/plan/download';
import { plural } from '../format';
import { formatNumber } from '../number-text';

const megabytes = (bytes: number) =>
  `${formatNumber(bytes / 1_000_000, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;

/** Returns the progress of a download as text. */
export function textOf({ bytes, total, rows }: Progress): string {
  const counted = rows === null ? '' : `${plural(rows, 'row')} · `;
  const of = total ? ` of ${megabytes(total)}` : '';
  return `${counted}${megabytes(bytes)}${of}`;
}
