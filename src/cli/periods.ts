import { parseArgs } from 'node:util';
import { loadCalendar } from '../lib/server/db/calendar/calendar-load';
import { databaseCommand, wrongUsage } from './database-command';

const USAGE = `Usage: npm run periods -- [--fiscal-start=<month>]
  fills pf.dim_period, 2018 to 2035; the fiscal year starts in that month, 1 (default) to 12`;

function parse(): { fiscalStart: number } | { problem: string } {
  try {
    const { values } = parseArgs({
      options: { 'fiscal-start': { type: 'string', default: '1' } },
    });
    const month = values['fiscal-start'];
    if (!/^([1-9]|1[0-2])$/.test(month))
      return { problem: `--fiscal-start must be a month from 1 to 12, not "${month}"` };
    return { fiscalStart: Number(month) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const args = parse();
if ('problem' in args) wrongUsage(args.problem, USAGE);
else
  await databaseCommand(async (client) => {
    const months = await loadCalendar(client, args.fiscalStart);
    console.log(`pf.dim_period holds ${months} months.`);
    console.log('Rows that are loaded already keep the periods they were loaded with.');
    return 0;
  });
