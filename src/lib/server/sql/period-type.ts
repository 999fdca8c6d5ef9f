/** Which columns of the calendar a dimension can be filled from. */
import type { PERIOD_COLUMNS } from '../../contract/columns';

type PeriodColumn = (typeof PERIOD_COLUMNS)[number];

const DATES: readonly string[] = ['sdat', 'edat'] satisfies PeriodColumn[];
const NUMBERS: readonly string[] = [
  'ndays',
  'cal_year',
  'cal_quarter',
  'cal_month',
  'fisc_year',
  'fisc_quarter',
  'fisc_month',
] satisfies PeriodColumn[];

/**
 * Whether a calendar column can be stored in a forecast column of a type. Text accepts every calendar column.
 */
export function periodTypeFits(period: string, type: string): boolean {
  if (type === 'text') return true;
  if (DATES.includes(period)) return /^(date|timestamp)/.test(type);
  if (NUMBERS.includes(period)) return ['bigint', 'numeric', 'double precision'].includes(type);
  return period === 'drange' && type === 'daterange';
}
