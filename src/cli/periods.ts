import { parseArgs } from 'node:util';
import { ISO_YEAR_STARTS, WEEK_PATTERNS, type WeekPattern } from '../lib/contract/calendar-tables';
import { loadCalendar } from '../lib/server/db/calendar/calendar-load';
import { loadWeeks } from '../lib/server/db/calendar/weeks-load';
import { databaseCommand, wrongUsage } from './database-command';

const USAGE = `Usage: npm run periods -- [--fiscal-start=<month>]
  fills pf.dim_period, 2018 to 2035; the fiscal year starts in that month, 1 (default) to 12
       npm run periods -- --weeks=<4-4-5|4-5-4|5-4-4> [--year-starts=<YYYY-MM-DD>]
  fills pf_lookups.weeks, 2018 to 2035; years start on the same weekday, nearest to that day of the year
  (2018-01-01: Mondays nearest to January 1)`;

type Asked =
  { fiscalStart: number } | { weeks: WeekPattern; yearStarts: string } | { problem: string };

function parse(): Asked {
  try {
    const { values } = parseArgs({
      options: {
        'fiscal-start': { type: 'string' },
        weeks: { type: 'string' },
        'year-starts': { type: 'string' },
      },
    });
    const { weeks, 'fiscal-start': month = '1', 'year-starts': day = ISO_YEAR_STARTS } = values;
    if (weeks === undefined) {
      if (values['year-starts'] !== undefined) return { problem: '--year-starts needs --weeks' };
      if (!/^([1-9]|1[0-2])$/.test(month))
        return { problem: `--fiscal-start must be a month from 1 to 12, not "${month}"` };
      return { fiscalStart: Number(month) };
    }
    const pattern = WEEK_PATTERNS.find((each) => each === weeks);
    if (!pattern) return { problem: `--weeks must be 4-4-5, 4-5-4 or 5-4-4, not "${weeks}"` };
    if (values['fiscal-start'] !== undefined)
      return { problem: '--fiscal-start is for months; weeks have --year-starts' };
    if (!isDay(day) || day.endsWith('-02-29'))
      return { problem: `--year-starts must be a day that every year has, not "${day}"` };
    return { weeks: pattern, yearStarts: day };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.slice(0, 10) === text;

const args = parse();
if ('problem' in args) wrongUsage(args.problem, USAGE);
else
  await databaseCommand(async (client) => {
    if ('weeks' in args) {
      const weeks = await loadWeeks(client, args.weeks, args.yearStarts);
      console.log(`pf_lookups.weeks holds ${weeks} weeks. Join it as a lookup by range.`);
      return 0;
    }
    const months = await loadCalendar(client, args.fiscalStart);
    console.log(`pf.dim_period holds ${months} months.`);
    console.log('Rows that are loaded already keep the periods they were loaded with.');
    return 0;
  });
