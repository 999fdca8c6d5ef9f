/**
 * Performance: `npm run bench [-- PART… --quick --max-rows=N]`. Writes docs/performance.md, its figures and
 * its picture.
 *
 * Each part runs in its own process, so that a failure does not affect the others, and its figures replace
 * the previous ones of that part. Needs a build and an otherwise idle machine, and takes about 20 minutes.
 * Not part of `npm test`.
 */
import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROJECT } from '../../src/cli/prepare.js';
import { putSections, time } from './document';
import { median } from './measure';
import type { Extent, Part, Told } from './part';
import { measureChanges } from './parts/change';
import { measureGrouping } from './parts/grouping';
import { measureGrowth } from './parts/growth';
import { measureCache } from './parts/cache';
import { measureLookups } from './parts/lookups';
import { measureOpening } from './parts/open';
import { measureOperations } from './parts/operations';
import { measureReads } from './parts/read';
import { measureRefresh } from './parts/refresh';
import { measureWholePlans } from './parts/whole';
import { noFigures, readFigures, writeFigures, type PartFigures } from './report/figures';
import { picture } from './report/picture';
import { sections } from './report/sections';

const PARTS: Record<string, Part> = {
  read: measureReads,
  cache: measureCache,
  operations: measureOperations,
  whole: measureWholePlans,
  open: measureOpening,
  change: measureChanges,
  grouping: measureGrouping,
  growth: measureGrowth,
  refresh: measureRefresh,
  lookups: measureLookups,
};

/** Timeout of a part, so that one that hangs does not block the others. */
const LIMIT_MINUTES = 20;

const USAGE = `usage: npm run bench [-- ${Object.keys(PARTS).join(' | ')} …]
  --max-rows=N   no table has more rows
  --quick        few rows and rounds, to see that it runs: writes to test-results/bench`;

function extentOf(maxRows: string | undefined, quick: boolean): Extent {
  if (quick) return { maxRows: 100_000, rounds: 1 };
  return { maxRows: maxRows === undefined ? Infinity : Number(maxRows), rounds: 5 };
}

/** Runs one part in its own process. @param onTold called with each figure immediately */
async function runPart(name: string, args: string[], onTold: (told: Told) => void): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), [name, ...args], {
    env: { ...process.env, PF_BENCH_PART: name },
    timeout: LIMIT_MINUTES * 60_000,
  });
  let failure: string | undefined;
  child.on('message', (message: Told | { kind: 'failed'; why: string }) => {
    if (message.kind === 'failed') failure = message.why;
    else onTold(message);
  });
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code === 0 ? '' : `ended by ${signal ?? code}`));
  });
  if (failure ?? ended) throw new Error(failure ?? ended);
}

function said(told: Told): string {
  if (told.kind === 'missing') return `${told.name}: not measured. ${told.why}`;
  if (told.kind === 'value') return `${told.name}: ${told.value.toFixed(2)}`;
  if (told.kind === 'machine') return JSON.stringify(told.machine);
  const ways = Object.entries(told.turns.ways).map(([way, ms]) => `${way} ${time(median(ms))}`);
  return `${told.name}, ${told.turns.rows} rows: ${ways.join(', ')}`;
}

function noted(figures: PartFigures, told: Told): void {
  if (told.kind === 'turns') figures.turns[told.name] = told.turns;
  else if (told.kind === 'value')
    figures.values[told.name] = { rows: told.rows, value: told.value };
  else if (told.kind === 'missing') figures.missing[told.name] = told.why;
  else figures.machine = told.machine;
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, 'max-rows': { type: 'string' } },
  });
  const extent = extentOf(values['max-rows'], values.quick);
  const unknown = positionals.filter((name) => !PARTS[name]);
  if (unknown.length > 0 || !(extent.maxRows >= 10_000)) {
    console.error(USAGE);
    process.exitCode = 1;
    return;
  }
  const part = process.env.PF_BENCH_PART;
  if (part) return runHere(part, extent);

  const folder = join(PROJECT, values.quick ? 'test-results/bench' : 'docs');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'performance.json');
  const figures = readFigures(file);
  const args = process.argv.slice(2).filter((arg) => arg.startsWith('--'));
  for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
    const began = Date.now();
    const measured = (figures[name] = noFigures(new Date(began).toISOString()));
    console.log(`\n${name}`);
    try {
      await runPart(name, args, (told) => {
        console.log(`  ${said(told)}`);
        noted(measured, told);
        writeFigures(file, figures);
      });
    } catch (error) {
      measured.failure = error instanceof Error ? error.message : String(error);
      console.error(`  ${measured.failure}`);
      process.exitCode = 1;
    }
    measured.seconds = (Date.now() - began) / 1000;
    writeFigures(file, figures);
    await putSections('performance.md', sections(figures), join(folder, 'performance.md'));
    const drawn = picture(figures.growth);
    if (drawn) writeFileSync(join(folder, 'performance.svg'), drawn);
  }
  console.log(`\n${sections(figures).summary}\nwritten: ${join(folder, 'performance.md')}`);
}

/** Runs a part in this process, which reports to its parent. */
async function runHere(name: string, extent: Extent): Promise<void> {
  // The parent has ended or has all figures; this process ends with everything that it started.
  process.on('disconnect', () => process.exit());
  try {
    await PARTS[name]!({
      extent,
      tell: (told) => process.send?.(told),
      say: (text) => console.log(`  ${text}`),
    });
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    console.error(why);
    process.send?.({ kind: 'failed', why: why.split('\n')[0] });
  }
  if (process.connected) process.disconnect();
}

await main();
