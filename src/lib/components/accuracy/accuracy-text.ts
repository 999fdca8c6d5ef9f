/** Sentences about the accuracy of a forecast. */
import type { ForecastError } from '$lib/contract/accuracy';
import { formatNumber } from '../number-text';
import { plural } from '../format';

/** In a table, all shares have one decimal. */
const IN_TABLE = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;

const percentText = (share: number | null, options: Intl.NumberFormatOptions): string =>
  share === null ? '–' : `${formatNumber(share * 100, options)} %`;

/** Formats a share of the actual amounts in a sentence, without a sign: "12.5 %", "3 %"; a dash for null. */
export const shareText = (share: number | null): string =>
  percentText(share, { maximumFractionDigits: 1, signDisplay: 'never' });

/** Formats a share in a table, without a sign: "12.5 %", "3.0 %"; a dash for null. */
export const listedShare = (share: number | null): string =>
  percentText(share, { ...IN_TABLE, signDisplay: 'never' });

/** Formats a share in a table, with its sign: "+12.5 %", "-3.0 %"; a dash for null. */
export const listedSignedShare = (share: number | null): string =>
  percentText(share, { ...IN_TABLE, signDisplay: 'exceptZero' });

/** Says how far a forecast was off: "12.5 % off, and 3 % too high in total". */
export function errorText({ wape, bias }: ForecastError): string {
  if (wape === null || bias === null) return 'without actual amounts to compare it with';
  if (wape === 0) return 'exactly right';
  const total =
    bias === 0 ? 'right in total' : `${shareText(bias)} too ${bias > 0 ? 'high' : 'low'} in total`;
  return `${shareText(wape)} off, and ${total}`;
}

/** Formats {@link improvementText} in a table: "1.0 points worse"; a dash for null. */
export const listedImprovement = (before: number | null, after: number | null): string =>
  improvementText(before, after, IN_TABLE) ?? '–';

/**
 * Returns by how many percentage points an error became smaller: "1.8 points better", "1 point worse", "neither
 * better nor worse". Null if one of them is not known.
 */
export function improvementText(
  before: number | null,
  after: number | null,
  options: Intl.NumberFormatOptions = { maximumFractionDigits: 1 },
): string | null {
  if (before === null || after === null) return null;
  const points = Number(((before - after) * 100).toFixed(1));
  if (points === 0) return 'neither better nor worse';
  const size = formatNumber(Math.abs(points), options);
  return `${size} ${size === '1' ? 'point' : 'points'} ${points > 0 ? 'better' : 'worse'}`;
}

/** Says what the changes of a person did: "bob’s 2 changes made it 1.8 points better." */
export function personText(
  { pf_user, entries }: { pf_user: string; entries: number },
  { before, after }: { before: ForecastError; after: ForecastError },
): string {
  const what = improvementText(before.wape, after.wape);
  const changes = `${pf_user}’s ${plural(entries, 'change')}`;
  return what === null
    ? `${changes} cannot be judged: there are no actual amounts.`
    : `${changes} made it ${what}.`;
}
