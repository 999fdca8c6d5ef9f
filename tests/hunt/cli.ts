import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { CHROMIUM_ARGS, installedChromium } from '../support/chromium.js';
import { startTestCluster } from '../support/cluster';
import { startService } from '../support/service';
import { HuntPage } from './page';
import { Tally } from './tally';
import { CASES_A_VISIT, playVisit } from './visit';

/** After so many visits the browser is started anew: the engine keeps some memory of every pivot. */
const VISITS_A_BROWSER = 25;

const USAGE = `Usage: npm run hunt -- [--cases=N] [--seed=S] [--only=K]

Plays random cases on the pivot page of the built server and compares what is on screen and what
operations change with SQL.

  --cases=N   how many cases to play (100)
  --seed=S    the seed that they are drawn from (random; it is printed)
  --only=K    only the case of this number, after those before it on the same page`;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [cases, seed, only] = [values.cases, values.seed, values.only ?? '0'].map(Number);
if (values.help || ![cases, seed, only].every(Number.isSafeInteger)) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

/** Starts a browser for the pages of some visits. */
async function startBrowser(url: string) {
  const browser = await chromium.launch({
    executablePath: installedChromium(),
    args: CHROMIUM_ARGS,
  });
  const page = await browser.newPage({ viewport: { width: 1900, height: 1300 }, locale: 'en-US' });
  return { browser, page: await HuntPage.on(page, url) };
}

async function hunt(from: number, to: number, tally: Tally): Promise<void> {
  const stop = await startTestCluster();
  const service = await startService('service');
  let open = await startBrowser(service.url);
  try {
    const first = Math.floor(from / CASES_A_VISIT);
    for (let visit = first; visit * CASES_A_VISIT < to; visit++) {
      if (visit > first && visit % VISITS_A_BROWSER === 0) {
        await open.browser.close();
        open = await startBrowser(service.url);
      }
      const count = Math.min(CASES_A_VISIT, to - visit * CASES_A_VISIT);
      await playVisit(service, open.page, seed as number, visit, count, (number, outcome) => {
        if (number >= from) tally.add(number, outcome);
      });
    }
  } finally {
    await open.browser.close();
    await service.stop();
    await stop();
  }
}

console.log(`Seed ${seed}`);
const tally = new Tally((line) => console.log(line));
if (values.only === undefined) await hunt(0, cases as number, tally);
else await hunt(only as number, (only as number) + 1, tally);
console.log(tally.summary());
process.exitCode = tally.failed === 0 ? 0 : 1;
