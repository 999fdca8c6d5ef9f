import { parseArgs } from 'node:util';
import { baseline, migrationPlan, up } from '../lib/server/migrate/runner';
import { databaseCommand, wrongUsage } from './database-command';

const USAGE = `Usage: npm run migrate -- [up | status | baseline [--up-to=<filename>]]
  up        applies the pending migrations (default)
  status    lists each migration; exit code 1 if any is modified or missing
  baseline  records pending migrations as applied without running them`;

interface Arguments {
  command: string;
  upTo: string | undefined;
}

function parse(): Arguments | { problem: string } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { 'up-to': { type: 'string' } },
    });
    const [command = 'up', ...rest] = positionals;
    const upTo = values['up-to'];
    if (!['up', 'status', 'baseline'].includes(command))
      return { problem: `Unknown command: ${command}` };
    if (rest.length > 0) return { problem: `Unexpected argument: ${rest.join(' ')}` };
    if (upTo !== undefined && command !== 'baseline')
      return { problem: '--up-to belongs to baseline' };
    return { command, upTo };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

async function run({ command, upTo }: Arguments): Promise<void> {
  await databaseCommand(async (client) => {
    if (command === 'status') return status(await migrationPlan(client));
    let done = 0;
    const report = (verb: string) => (filename: string) => {
      done += 1;
      console.log(`${verb} ${filename}`);
    };
    if (command === 'up') await up(client, report('applied'));
    else await baseline(client, upTo, report('recorded'));
    if (done === 0) console.log('Nothing is pending.');
    return 0;
  });
}

function status(plan: Awaited<ReturnType<typeof migrationPlan>>): number {
  for (const { file, state } of plan.files) console.log(`${state.padEnd(8)}  ${file.filename}`);
  for (const filename of plan.missing) console.log(`missing   ${filename}`);
  const modified = plan.files.some(({ state }) => state === 'modified');
  return modified || plan.missing.length > 0 ? 1 : 0;
}

const args = parse();
if ('problem' in args) wrongUsage(args.problem, USAGE);
else await run(args);
