/** The offset of a segment's dates. Each part may be negative. */
export type Offset = { years: number; months: number; days: number };

export const NO_OFFSET: Offset = { years: 0, months: 0, days: 0 };

const UNITS: Record<string, [part: keyof Offset, factor: number]> = {
  year: ['years', 1],
  years: ['years', 1],
  mon: ['months', 1],
  mons: ['months', 1],
  month: ['months', 1],
  months: ['months', 1],
  quarter: ['months', 3],
  quarters: ['months', 3],
  week: ['days', 7],
  weeks: ['days', 7],
  day: ['days', 1],
  days: ['days', 1],
};

/**
 * Parses an interval as people, this service and PostgreSQL write it: "1 year", "-6 mons", "2 quarters",
 * "1 year 2 days". Returns null for an interval with other parts than years, quarters, months, weeks and days.
 */
export function parseInterval(text: string): Offset | null {
  const offset = { ...NO_OFFSET };
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length % 2 === 1) return null;
  for (let i = 0; i < words.length; i += 2) {
    const amount = words[i] ?? '';
    const unit = UNITS[words[i + 1] ?? ''];
    if (!unit || !/^[+-]?\d{1,6}$/.test(amount)) return null;
    offset[unit[0]] += Number(amount) * unit[1];
  }
  return offset;
}

const parts = ({ years, months, days }: Offset): [number, string][] => [
  [years, 'year'],
  [months, 'month'],
  [days, 'day'],
];

/** Formats an interval for the service: "1 year -6 months"; "0 days" for none. */
export function formatInterval(offset: Offset): string {
  const text = parts(offset)
    .filter(([amount]) => amount !== 0)
    .map(([amount, unit]) => `${amount} ${unit}${Math.abs(amount) === 1 ? '' : 's'}`);
  return text.join(' ') || '0 days';
}

/** Describes an offset for planners: "moved 1 year ahead", "moved 6 months back", "dates unchanged". */
export function describeOffset(interval: string): string {
  const offset = parseInterval(interval);
  if (!offset) return `moved by ${interval}`;
  const moved = parts(offset).filter(([amount]) => amount !== 0);
  if (moved.length === 0) return 'dates unchanged';
  const same = moved.every(([amount]) => Math.sign(amount) === Math.sign(moved[0]?.[0] ?? 0));
  if (!same) return `moved by ${formatInterval(offset)}`;
  const { years, months, days } = offset;
  const size = formatInterval({
    years: Math.abs(years),
    months: Math.abs(months),
    days: Math.abs(days),
  });
  return `moved ${size} ${(moved[0]?.[0] ?? 0) > 0 ? 'ahead' : 'back'}`;
}
