import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { CHROMIUM_ARGS, installedChromium } from '../support/chromium.js';
import { startTestCluster } from '../support/cluster';
import { startService } from '../support/service';
import { announcedHunt } from './announced/visitor';
import type { HuntLayout } from './layout';
import { HuntPage } from './page';
import { pressedHunt, pressedWithLookups } from './pressed/visitor';
import type { HuntTable } from './table';
import { Tally } from './tally';
import { playVisit, type Hunt } from './visit';

/** After so many visits the browser is started anew: the engine keeps some memory of every pivot. */
const VISITS_A_BROWSER = 25;

const USAGE = `Usage: npm run hunt -- [--announced | --lookups] [--rows=N] [--cases=N] [--seed=S] [--from=K] [--only=K]

Plays random cases on the pivot page of the built server and compares what is on screen and what
operations change with SQL.

  --announced compares the amounts that forms, hints and trials announce with what is then written
  --lookups   every pivot has an attribute of a lookup in its groups or filters
  --rows=N    announced only: on versions of at least N rows with indexes for slices; some have a grain, some
              have closed months
  --cases=N   how many cases to play (100)
  --seed=S    the seed that they are drawn from (random; it is printed)
  --from=K    the first case (0)
  --only=K    only the case of this number, after those before it on the same page`;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    announced: { type: 'boolean', default: false },
    lookups: { type: 'boolean', default: false },
    rows: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [cases, seed, from, only] = [values.cases, values.seed, values.from, values.only ?? '0'].map(
  Number,
) as [number, number, number, number];
const rows = values.rows === undefined ? null : Number(values.rows);
const isUsable = [cases, seed, from, only, rows ?? 0].every(Number.isSafeInteger);
const isMixed = values.announced ? values.lookups : rows !== null;
if (values.help || !isUsable || isMixed) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

/** Starts a browser for the pages of some visits. */
async function startBrowser(url: string) {
  const browser = await chromium.launch({
    executablePath: installedChromium(),
    // Compiling the engine's WebAssembly a second time, optimized, costs more than a visit gains.
    args: [...CHROMIUM_ARGS, '--js-flags=--liftoff-only'],
  });
  const page = await browser.newPage({ viewport: { width: 1900, height: 1300 }, locale: 'en-US' });
  return { browser, page: await HuntPage.on(page, url) };
}

async function play<Table extends HuntTable, Layout extends HuntLayout, Round>(
  hunt: Hunt<Table, Layout, Round>,
  from: number,
  to: number,
  tally: Tally,
): Promise<void> {
  const { size } = hunt;
  const first = Math.floor(from / size);
  const stop = await startTestCluster();
  const large = { PF_INDEX_ROWS: String(rows), PF_INDEX_DELAY: '200ms' };
  const service = await startService('service', rows === null ? {} : large);
  let open = await startBrowser(service.url);
  try {
    for (let visit = first; visit * size < to; visit++) {
      if (visit > first && visit % VISITS_A_BROWSER === 0) {
        await open.browser.close();
        open = await startBrowser(service.url);
      }
      const ground = { service, page: open.page, seed };
      await playVisit(hunt, ground, visit, Math.min(size, to - visit * size), tally);
    }
  } finally {
    await open.browser.close();
    await service.stop();
    await stop();
  }
}

console.log(`Seed ${seed}`);
const first = values.only === undefined ? from : only;
const last = values.only === undefined ? from + cases : only + 1;
const tally = new Tally((line) => console.log(line), first);
if (values.announced) await play(announcedHunt(tally, rows), first, last, tally);
else await play(values.lookups ? pressedWithLookups : pressedHunt, first, last, tally);
console.log(tally.summary());
process.exitCode = tally.failed === 0 ? 0 : 1;
