import type { BrowserContext } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { announcedHunt } from '../hunt/announced/visitor';
import { HuntPage } from '../hunt/page';
import { pressedHunt } from '../hunt/pressed/visitor';
import { Tally } from '../hunt/tally';
import { playVisit } from '../hunt/visit';
import { cases } from '../support/cases.js';
import { startService, type Service } from '../support/service';

/** A fixed seed, as for other generated cases: the same code gives the same result. */
const SEED = Number(process.env.FAST_CHECK_SEED ?? 20_261_121);
const CASES = cases(48);
/** Ends a test that hangs. The cases of a visit take a tenth of it. */
const LONGEST_MS = 900_000;

/** Kinds of changes that the announced hunt must have compared. */
const WRITTEN = [
  'form: New total',
  'form: Change',
  'form: Percent',
  'typed total',
  'typed percentage',
  'typed price',
  'typed result',
  'further measure',
  'block',
  'paste',
  'fill',
  'recode',
  'clone',
  'at a held price',
  'around locks',
  'after a trial',
];
const ANNOUNCED_SEED = 2;
const ANNOUNCED_VISITS = 3;

/** Starts a service and a page for the tests of a group, which follow each other in one worker. */
function openedPage(): { service: Service; page: HuntPage } {
  const opened = {} as { service: Service; page: HuntPage };
  let context: BrowserContext;

  test.beforeAll(async ({ browser }) => {
    opened.service = await startService('service');
    context = await browser.newContext({
      viewport: { width: 1900, height: 1300 },
      locale: 'en-US',
    });
    opened.page = await HuntPage.on(await context.newPage(), opened.service.url);
  });

  test.afterAll(async () => {
    await context.close();
    await opened.service.stop();
  });

  return opened;
}

test.describe('the pressed cell is the changed cell', () => {
  test.describe.configure({ timeout: LONGEST_MS, mode: 'default' });

  const opened = openedPage();

  for (let visit = 0; visit * pressedHunt.size < CASES; visit++) {
    const first = visit * pressedHunt.size;
    const count = Math.min(pressedHunt.size, CASES - first);
    test(`cases ${first} to ${first + count - 1} of the hunt with seed ${SEED}`, async () => {
      const told: string[] = [];
      const tally = new Tally((line) => told.push(line));
      await playVisit(pressedHunt, { ...opened, seed: SEED }, visit, count, tally);
      expect(told, told.join('\n')).toEqual([]);
    });
  }
});

test.describe('what is announced is written', () => {
  test.describe.configure({ timeout: LONGEST_MS, mode: 'default' });

  const opened = openedPage();

  test(`cases of the announced hunt with seed ${ANNOUNCED_SEED}`, async () => {
    const told: string[] = [];
    const tally = new Tally((line) => told.push(line));
    const hunt = announcedHunt(tally);
    for (let visit = 0; visit < ANNOUNCED_VISITS; visit++) {
      await playVisit(hunt, { ...opened, seed: ANNOUNCED_SEED }, visit, hunt.size, tally);
    }
    expect(told, told.join('\n')).toEqual([]);
    expect(WRITTEN.filter((kind) => !tally.written.has(kind))).toEqual([]);
  });
});
