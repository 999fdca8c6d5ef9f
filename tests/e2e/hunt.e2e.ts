import type { BrowserContext } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { HuntPage } from '../hunt/page';
import { Tally } from '../hunt/tally';
import { CASES_A_VISIT, playVisit } from '../hunt/visit';
import { startService, type Service } from '../support/service';

/** A fixed seed, as for other generated cases: the same code gives the same result. */
const SEED = Number(process.env.FAST_CHECK_SEED ?? 20_261_121);
const CASES = 100;

test.describe('the pressed cell is the changed cell', () => {
  // Eight cases each, all with operations and undos.
  test.describe.configure({ timeout: 300_000 });

  let service: Service;
  let context: BrowserContext;
  let page: HuntPage;

  test.beforeAll(async ({ browser }) => {
    service = await startService('service');
    context = await browser.newContext({
      viewport: { width: 1900, height: 1300 },
      locale: 'en-US',
    });
    page = await HuntPage.on(await context.newPage(), service.url);
  });

  test.afterAll(async () => {
    await context.close();
    await service.stop();
  });

  for (let visit = 0; visit * CASES_A_VISIT < CASES; visit++) {
    const first = visit * CASES_A_VISIT;
    const count = Math.min(CASES_A_VISIT, CASES - first);
    test(`cases ${first} to ${first + count - 1} of the hunt with seed ${SEED}`, async () => {
      const told: string[] = [];
      const tally = new Tally((line) => told.push(line));
      await playVisit(service, page, SEED, visit, count, (number, outcome) =>
        tally.add(number, outcome),
      );
      expect(told, told.join('\n')).toEqual([]);
    });
  }
});
