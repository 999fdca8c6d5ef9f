/** Plays the cases of a hunt that share a table, a layout and a page: opening them costs more than a case. */
import type { Service } from '../support/service';
import type { HuntLayout } from './layout';
import { waysOfLookups } from './lookups';
import { messageOf, outcomeOf, Refused, type Outcome } from './outcome';
import type { HuntPage } from './page';
import { Random } from './random';
import type { HuntTable } from './table';
import type { Tally } from './tally';
import { describe, dropVersion, makeVersion } from './version';

/** The service, page and version of a visit. */
export interface Ground<Table, Layout> {
  service: Service;
  page: HuntPage;
  table: Table;
  layout: Layout;
  version: number;
}

/** Plays the cases of one visit. */
export interface Visitor<Round> {
  /** The events of the case, for the report of a failure. */
  readonly happened: readonly unknown[];
  /**
   * Opens the page of the version. @throws Refused, Broken
   * @returns whether the page has cells to press; it has none if no rows match the filters, and it says so rightly
   */
  open(): Promise<{ hasCells: boolean }>;
  /** @throws Refused if the page refuses what the case asks; Broken if it does something wrong */
  play(round: Round): Promise<void>;
  /** Leaves the page as the next case expects it. */
  leave(round: Round, outcome: Outcome): Promise<void>;
}

/** A kind of hunt: how its cases are drawn and played. */
export interface Hunt<Table extends HuntTable, Layout extends HuntLayout, Round> {
  /** Cases of a visit. */
  size: number;
  /** How many times a refused case is drawn again. */
  redraws: number;
  /** Parts of the seeds, so that hunts do not draw alike. */
  seeds: { visit: string; round: string };
  /** SQL that the tables need; null for none. */
  prepared: string | null;
  table(visit: number, random: Random): Table;
  layout(table: Table, random: Random): Layout;
  /** The layout as a source's default. */
  stored(layout: Layout): Record<string, unknown>;
  /**
   * @param number of the case
   * @param refused the round that the page has refused, for one that is drawn again
   */
  round(table: Table, random: Random, number: number, refused: Round | null): Round;
  visitor(ground: Ground<Table, Layout>): Visitor<Round>;
}

/**
 * Makes a random table with a random layout, opens it and plays the first `count` cases of a visit. A case follows
 * from its seed and number and from the cases before it in the visit.
 */
export async function playVisit<Table extends HuntTable, Layout extends HuntLayout, Round>(
  hunt: Hunt<Table, Layout, Round>,
  { service, page, seed }: { service: Service; page: HuntPage; seed: number },
  visit: number,
  count: number,
  tally: Tally,
): Promise<void> {
  const random = new Random(seed, hunt.seeds.visit, visit);
  const table = hunt.table(visit, random);
  const layout = hunt.layout(table, random);
  const numbers = Array.from({ length: count }, (_, i) => visit * hunt.size + i);
  const tellAll = (outcome: Outcome) => {
    for (const number of numbers) tally.add(number, outcome);
  };
  if (hunt.prepared !== null) await service.query(hunt.prepared);
  const made = await makeVersion(service, table, hunt.stored(layout));
  if (typeof made === 'string') return tellAll({ kind: 'refused', reason: made });
  const visitor = hunt.visitor({ service, page, table, layout, version: made.version });
  const story = (round: Round | null) =>
    JSON.stringify({
      table: describe(table),
      layout: hunt.stored(layout),
      round,
      happened: visitor.happened,
    });
  const closed = await visitor.open().then(
    ({ hasCells }): Outcome | null => (hasCells ? null : { kind: 'held' }),
    (error: unknown): Outcome =>
      error instanceof Refused
        ? { kind: 'refused', reason: error.message }
        : {
            kind: 'failed',
            what: `The page did not open: ${messageOf(error)}`,
            story: story(null),
          },
  );
  if (closed) tellAll(closed);
  const ways = waysOfLookups(table, layout);
  for (const number of closed ? [] : numbers) {
    let round: Round | null = null;
    for (let draws = 0; ; draws++) {
      const again = draws > 0 ? [draws] : [];
      const drawn = new Random(seed, hunt.seeds.round, number, ...again);
      const current = (round = hunt.round(table, drawn, number, round));
      const outcome = await visitor.play(current).then(
        (): Outcome => ({ kind: 'held' }),
        (error: unknown) => outcomeOf(error, () => story(current)),
      );
      await visitor.leave(current, outcome);
      if (outcome.kind === 'refused' && draws < hunt.redraws) {
        tally.addRedrawn(outcome.reason);
        continue;
      }
      tally.add(number, outcome);
      if (outcome.kind === 'held') tally.countWithLookups(number, ways);
      break;
    }
  }
  await dropVersion(service, table, made);
}
