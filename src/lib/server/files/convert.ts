/** Converts cells to the texts of a type. */
import type { DashesAs, FileDateOrder, FileDecimal, FileType } from '../../contract/files';
import { isMidnight, parseDate } from './dates';
import { parseNumber, roundedText } from './numbers';

/** How numbers and dates of a file are written. */
export interface Notations {
  decimal: FileDecimal;
  dateOrder: FileDateOrder;
  dashes: DashesAs;
}

/** What is known about a cell beside its text. */
interface CellFacts {
  /** Whether the file stores the cell as a number, which always has a point. */
  isNumber?: boolean | undefined;
  /** The decimals to which numbers are rounded; null to keep those that the cell shows. */
  decimals?: number | null | undefined;
}

/** A dash in place of a number, with a currency or without, as accounts write zero. */
const DASH = /^[€$£¥]?\s*[-–—−]\s*[€$£¥]?$/;

/** Whether a cell is a dash in place of a number. @param cell without blanks at its ends */
export const isDash = (cell: string): boolean =>
  cell.length < 12 && !endsInDigit(cell) && DASH.test(cell);

function endsInDigit(cell: string): boolean {
  const last = cell.charCodeAt(cell.length - 1);
  return last >= 0x30 && last <= 0x39;
}

/** Accepted words for true and false, if a column was chosen to be boolean. */
const BOOLEANS: Record<string, string> = {
  ...{ true: 't', t: 't', yes: 't', y: 't', '1': 't' },
  ...{ false: 'f', f: 'f', no: 'f', n: 'f', '0': 'f' },
};

/**
 * Converts a cell to the text of a type, as PostgreSQL reads it.
 *
 * @returns null for an empty cell, undefined if the cell does not have the type
 */
export function convert(
  text: string,
  type: FileType,
  { decimal, dateOrder, dashes }: Notations,
  { isNumber = false, decimals = null }: CellFacts = {},
): string | null | undefined {
  const cell = text.trim();
  if (cell === '') return null;
  const sign = isNumber ? 'point' : decimal;
  if ((type === 'integer' || type === 'numeric') && dashes !== 'text' && isDash(cell)) {
    return dashes === 'zero' ? '0' : null;
  }
  switch (type) {
    case 'text':
      return text;
    case 'boolean':
      return BOOLEANS[cell.toLowerCase()];
    case 'integer': {
      const number = parseNumber(cell, sign);
      const isWhole = number !== null && number.decimals === 0 && number.whole <= 18;
      return isWhole ? number.text : undefined;
    }
    case 'numeric': {
      const number = parseNumber(cell, sign);
      if (number === null) return undefined;
      return decimals === null ? number.text : roundedText(number.exact, decimals);
    }
    default: {
      const found = parseDate(cell, dateOrder);
      if (found === null) return undefined;
      if (type === 'date') return isMidnight(found.time) && !found.zone ? found.date : undefined;
      const time = found.time || '00:00:00';
      if (type === 'timestamp') return found.zone ? undefined : `${found.date} ${time}`;
      return found.zone ? `${found.date} ${time}${found.zone}` : undefined;
    }
  }
}
