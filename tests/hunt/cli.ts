import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { CHROMIUM_ARGS, installedChromium } from '../support/chromium.js';
import { startTestCluster } from '../support/cluster';
import { startService } from '../support/service';
import * as announced from './announced/visit';
import { HuntPage } from './page';
import type { Outcome } from './outcome';
import { Tally } from './tally';
import { CASES_A_VISIT, playVisit } from './visit';

/** After so many visits the browser is started anew: the engine keeps some memory of every pivot. */
const VISITS_A_BROWSER = 25;

const USAGE = `Usage: npm run hunt -- [--announced] [--cases=N] [--seed=S] [--from=K] [--only=K]

Plays random cases on the pivot page of the built server and compares what is on screen and what
operations change with SQL.

  --announced compares the amounts that forms, hints and trials announce with what is then written
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
    help: { type: 'boolean', default: false },
  },
});
const [cases, seed, from, only] = [values.cases, values.seed, values.from, values.only ?? '0'].map(
  Number,
) as [number, number, number, number];
if (values.help || ![cases, seed, from, only].every(Number.isSafeInteger)) {
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

async function hunt(from: number, to: number, tally: Tally): Promise<void> {
  const stop = await startTestCluster();
  const service = await startService('service');
  let open = await startBrowser(service.url);
  try {
    const size = values.announced ? announced.CASES_A_VISIT : CASES_A_VISIT;
    const first = Math.floor(from / size);
    for (let visit = first; visit * size < to; visit++) {
      if (visit > first && visit % VISITS_A_BROWSER === 0) {
        await open.browser.close();
        open = await startBrowser(service.url);
      }
      const count = Math.min(size, to - visit * size);
      const tell = (number: number, outcome: Outcome) => {
        if (number >= from) tally.add(number, outcome);
      };
      const drawn = [service, open.page, seed, visit, count, tell] as const;
      if (values.announced) await announced.playAnnounced(...drawn, tally);
      else await playVisit(...drawn);
    }
  } finally {
    await open.browser.close();
    await service.stop();
    await stop();
  }
}

console.log(`Seed ${seed}`);
const tally = new Tally((line) => console.log(line));
if (values.only === undefined) await hunt(from, from + cases, tally);
else await hunt(only, only + 1, tally);
console.log(tally.summary());
process.exitCode = tally.failed === 0 ? 0 : 1;
