/** Plays cases in which cells are pressed and changed, and compares what they changed with SQL. */
import type { Slice } from '../../../src/lib/contract/slices';
import type { Service } from '../../support/service';
import { at, pointAt } from '../aiming';
import { heldFilters, randomLayout, storedLayout, type HuntLayout } from '../layout';
import { waysOfLookups } from '../lookups';
import { Oracle, type Asked } from '../oracle';
import { Broken, reasonOf, Refused, type Outcome } from '../outcome';
import type { HuntPage } from '../page';
import type { Random } from '../random';
import { randomRound, type Aim, type Round } from '../round';
import {
  cellKey,
  checkEmpty,
  columnKey,
  meaningsOf,
  sameNumber,
  shown,
  untilRight,
  wrongOnScreen,
} from '../screen';
import { randomTable, type HuntTable } from '../table';
import { storedTable } from '../version';
import type { Ground, Hunt, Visitor } from '../visit';
import type { Pressed, Seen } from '../watch';
import { areAllFull, wrongChange } from './changes';

/** The hunt for pressed cells that are not the changed ones. */
export const pressedHunt: Hunt<HuntTable, HuntLayout, Round> = {
  size: 8,
  redraws: 0,
  seeds: { visit: 'visit', round: 'case' },
  prepared: null,
  table: (visit, random) => randomTable(`hunt ${visit}`, random),
  layout: randomLayout,
  stored: storedLayout,
  round: randomRound,
  visitor: (ground) => new PressedVisitor(ground),
};

/** The same hunt, whose pivots all have an attribute of a lookup in their groups or filters. */
export const pressedWithLookups: Hunt<HuntTable, HuntLayout, Round> = {
  ...pressedHunt,
  seeds: { visit: 'visit with lookups', round: 'case with lookups' },
  table(visit, random) {
    const wanted = WAYS[visit % WAYS.length] ?? 'an attribute';
    for (let draw = 0; ; draw++) {
      const table = randomTable(`hunt ${visit}`, random.fork('table', draw));
      if (waysOfLookups(table, layoutWithLookups(table, random)).includes(wanted)) return table;
    }
  },
  layout: layoutWithLookups,
};

/** The ways of lookups that visits have in turns; rare ones would hardly occur otherwise. */
const WAYS = [
  'an attribute',
  'thousands of keys of one member',
  'an attribute at a grain',
  'an empty key',
  'an attribute of a range of days',
] as const;

function layoutWithLookups(table: HuntTable, random: Random): HuntLayout {
  for (let draw = 0; draw < 50; draw++) {
    const layout = randomLayout(table, random.fork('layout', draw));
    if (waysOfLookups(table, layout).length > 0) return layout;
  }
  // None of its attributes can be shown at its grain.
  return randomLayout(table, random.fork('layout'));
}

class PressedVisitor implements Visitor<Round> {
  private entries = 0;
  private readonly service: Service;
  private readonly page: HuntPage;
  private readonly oracle: Oracle;
  private readonly table: HuntTable;
  private readonly layout: HuntLayout;
  private readonly version: number;
  readonly happened: unknown[] = [];

  constructor({ service, page, table, layout, version }: Ground<HuntTable, HuntLayout>) {
    this.service = service;
    this.page = page;
    this.table = table;
    this.layout = layout;
    this.version = version;
    this.oracle = new Oracle(service.query, table, layout, storedTable(table, version));
  }

  async open(): Promise<{ hasCells: boolean }> {
    const { isEmpty } = await this.page.visit(this.version);
    if (isEmpty) {
      await checkEmpty(this.oracle);
      return { hasCells: false };
    }
    const { warning } = await this.page.look();
    // The engine looks up no column whose name has certain characters, and takes a name in a comment
    // for a column. The page says that it shows the pivot without the expression.
    const grouping = [...this.layout.levels, ...this.layout.splits];
    const isMade = grouping.some((level) => level.expression !== null);
    if (isMade && /uses fields that this version does not have/.test(warning ?? '')) {
      throw new Refused('setup: the engine does not take the expression');
    }
    await this.compare('when opened');
    const isOr = this.layout.filterOp === 'or';
    if (isOr !== /combines its filters with “or”/.test(warning ?? '')) {
      throw new Broken(
        `The filters are ${isOr ? '' : 'not '}joined by "or"; the page says: ${warning}`,
      );
    }
    return { hasCells: true };
  }

  async play(round: Round): Promise<void> {
    const { page } = this;
    this.page.errors.length = 0;
    if (round.toggle !== null) await this.toggle(round.toggle);
    const { moment } = round;
    if (moment.kind === 'hasty') await this.playHasty(round, moment);
    // A change of amounts may bring other groups into a limit while a cell is pressed.
    else if (moment.kind === 'answer' && !this.layout.limit)
      await this.playAfterAnswer(round, moment);
    else await this.playCalm(round);
    if (page.errors.length > 0) throw new Broken(`The page threw: ${page.errors[0]}`);
  }

  private async playCalm(round: Round): Promise<void> {
    const { page } = this;
    let seen = await page.look();
    const first = pointAt(seen, round.aim, this.layout);
    seen = await page.selecting(() => page.press(first));
    let cells = [await page.lastPressed()];
    for (const aim of round.added) {
      const point = pointAt(await page.look(), aim, this.layout);
      const add = () => page.selecting(() => page.press(point, { ctrl: true }));
      seen = await add();
      const together = toggled(cells, await page.lastPressed());
      if (seen.apart) {
        // Such cells are marked, and nothing else is; the one that was added last is let go again.
        await this.checkMarks(together);
        seen = await add();
      } else cells = together;
      if (cells.length === 0) return;
    }
    if (round.arrow && cells.length === 1) {
      const next = this.neighbour(await page.look(), cells[0] as Pressed, round.arrow);
      if (next) {
        const key = round.arrow;
        seen = await page.selecting(() => page.page.keyboard.press(key));
        cells = [next];
      }
    }
    await this.checkMarks(cells);
    await this.operate(cells, round.asked, seen);
    await this.undo();
  }

  /** A percentage is typed for one cell; another is pressed and Ctrl+Enter follows at once. */
  private async playHasty(round: Round, moment: { from: Aim; after: number }): Promise<void> {
    const { page } = this;
    const seen = await page.look();
    const from = pointAt(seen, moment.from, this.layout);
    const to = pointAt(seen, round.aim, this.layout);
    const before = await page.selecting(() => page.press(from));
    if (before.refused) throw new Refused(reasonOf(before.obstacle));
    await page.fill(round.asked);
    const toasts = (await page.toasts()).length;
    await page.press(to);
    const sent = await page.apply();
    const cells = [await page.lastPressed()];
    if (!sent) {
      const after = await page.look();
      const fresh = (await page.toasts()).slice(toasts);
      this.heed(fresh);
      const reason = fresh[0] ?? after.obstacle;
      if (!reason) throw new Broken('Ctrl+Enter right after a click did nothing and said nothing');
      await this.checkRefusal(cells, reason, after);
      throw new Refused(reasonOf(reason));
    }
    await page.idle();
    await this.checkEntry(cells, round.asked, sent, await page.look());
    await this.undo();
  }

  /** A cell is pressed right after the answer to an operation on another one. */
  private async playAfterAnswer(round: Round, moment: { from: Aim; after: number }): Promise<void> {
    const { page } = this;
    const seen = await page.look();
    const from = pointAt(seen, moment.from, this.layout);
    const to = pointAt(seen, round.aim, this.layout);
    const before = await page.selecting(() => page.press(from));
    const started = [await page.lastPressed()];
    const asked: Asked = { kind: 'clone', factor: 3 };
    await page.fill(asked);
    const sent = await page.apply();
    if (!sent) {
      const after = await page.look();
      await this.checkRefusal(started, after.obstacle ?? '', after);
      throw new Refused(reasonOf(after.obstacle));
    }
    await page.page.waitForTimeout(moment.after);
    const toasts = (await page.toasts()).length;
    await page.selecting(() => page.press(to));
    const cells = [await page.lastPressed()];
    await page.idle();
    await this.checkEntry(started, asked, sent, before);
    this.heed((await page.toasts()).slice(toasts));
    await this.checkMarks(cells);
    await this.operate(cells, round.asked, await page.look());
    await this.undo();
    await this.undo();
  }

  /** Applies an operation to the selection, and compares the written rows with the meaning of the cells. */
  private async operate(cells: Pressed[], asked: Asked, seen: Seen): Promise<void> {
    const { page } = this;
    if (!seen.selected) {
      const said = (await page.toasts()).slice(-3).join('; ');
      throw new Broken(`Pressing ${shown(cells)} selected nothing; last messages: ${said}`);
    }
    if (seen.refused) {
      await this.checkRefusal(cells, seen.obstacle ?? '', seen);
      throw new Refused(reasonOf(seen.obstacle));
    }
    const toasts = (await page.toasts()).length;
    await page.fill(asked);
    const sent = await page.apply();
    if (!sent) {
      const after = await page.look();
      const [toast] = (await page.toasts()).slice(toasts);
      await this.checkRefusal(cells, toast ?? after.obstacle ?? '', after);
      throw new Refused(reasonOf(toast ?? after.obstacle));
    }
    await page.idle();
    await this.checkEntry(cells, asked, sent, seen);
  }

  private async checkEntry(
    cells: Pressed[],
    asked: Asked,
    sent: { body: Record<string, unknown>; status: number },
    seen: Seen,
  ): Promise<void> {
    if (sent.status >= 500) throw new Broken(`The service failed: ${sent.status}`);
    if (sent.status >= 400) {
      const toast = (await this.page.toasts()).at(-1) ?? '';
      if (/^slice:/.test(toast)) throw new Broken(`The page sent a slice that is none: ${toast}`);
      throw new Refused(reasonOf(toast));
    }
    this.entries++;
    const entry = await this.lastEntry();
    const meanings = await meaningsOf(cells, this.oracle, this.layout);
    const slice = JSON.stringify(sent.body.slice);
    // What the cell adds up; or what it would without the filters that the page says do not count.
    const conditions = [
      this.oracle.behind(meanings ?? []),
      ...(this.isToldBeyond(seen) ? [this.oracle.behind(meanings ?? [], { held: true })] : []),
    ].filter((condition) => condition !== null);
    if (!meanings) await this.checkShownNumber(cells, seen, entry, sent.body.slice as Slice);
    else if (conditions.length > 0) {
      const wrong = await Promise.all(
        conditions.map((c) => wrongChange(this.oracle, this.table, c, asked, entry)),
      );
      if (!wrong.includes(null)) {
        throw new Broken(`${wrong[0]}; pressed ${shown(cells)}, sent ${slice}`);
      }
    }
    await this.compare('after the operation');
  }

  /** Whether the page names every filter that the slice leaves out. */
  private isToldBeyond({ beyond }: Seen): boolean {
    const held = heldFilters(this.layout);
    const others = this.layout.filters.filter((filter) => !held.includes(filter));
    return others.every(({ entry: [column] }) => beyond?.includes(column));
  }

  /**
   * Where SQL cannot say what a cell is: the rows of its slice add up to the number that was pressed, or
   * to the one that a change brought there right after.
   */
  private async checkShownNumber(
    cells: Pressed[],
    seen: Seen,
    entry: number,
    slice: Slice,
  ): Promise<void> {
    if (heldFilters(this.layout).length < this.layout.filters.length) return;
    for (const cell of cells) {
      const { measure } = cell;
      const isFormula = this.table.formulas?.some(({ name }) => name === measure) ?? false;
      if (measure === null || isFormula || cells.length > 1) continue;
      const sum = await this.oracle.sumOfSlice(slice, entry, measure);
      const since = seen.cells.find((other) => cellKey(other) === cellKey(cell))?.text;
      if (![cell.text, since ?? cell.text].some((text) => sameNumber(text, sum))) {
        throw new Broken(
          `The rows of the slice add up to ${sum}; pressed ${shown(cells)}, sent ${JSON.stringify(slice)}`,
        );
      }
    }
  }

  /** Ends a case in which a cell was pressed that was just being drawn, if the page has said so. */
  private heed(toasts: readonly string[]): void {
    const said = toasts.find((toast) => /Click the cell again/.test(toast));
    if (said) throw new Refused(reasonOf(said));
  }

  /** A refusal has to be true: where lists of values select exactly the cell, it is not. */
  private async checkRefusal(cells: Pressed[], reason: string, seen: Seen): Promise<void> {
    if (!seen.selected || /Select a cell first/.test(reason)) {
      throw new Broken(`Nothing was selected by pressing ${shown(cells)}: ${reason}`);
    }
    const meanings = await meaningsOf(cells, this.oracle, this.layout);
    if (!meanings) return;
    const behind = this.oracle.behind(meanings);
    if (behind === null) return;
    const { rows } = await this.oracle.totals(behind);
    if (/no rows to change/.test(reason) && rows > 0) {
      throw new Broken(`“${reason}”, but there are ${rows} rows; pressed ${shown(cells)}`);
    }
    if (/this cell is empty/.test(reason) && (await areAllFull(this.oracle, meanings))) {
      throw new Broken(`“${reason}”, but each has rows; pressed ${shown(cells)}`);
    }
    if (
      /no selection matches exactly this cell/.test(reason) &&
      (await this.oracle.isSlice(behind))
    ) {
      throw new Broken(`“${reason}”, but a selection is; pressed ${shown(cells)}`);
    }
  }

  private async undo(): Promise<void> {
    if (this.entries === 0) return;
    const undone = await this.page.undo();
    if (!undone) throw new Broken('The page did not undo');
    this.entries--;
    await this.page.idle();
    await this.compare('after the undo');
    if (/someone else/i.test((await this.page.look()).warning ?? '')) {
      throw new Broken('The page blames someone else');
    }
  }

  /** Undoes the entries that a case has left, and opens the page again if its state is unknown. */
  async leave(_: Round, outcome: Outcome): Promise<void> {
    const left = await this.service.query<{ id: number }>(
      `SELECT id FROM pf.log WHERE version_id = ${this.version}
         AND operation IN ('scale', 'recode', 'clone') ORDER BY id DESC`,
    );
    for (const { id } of left) await this.service.api.del(`/log/${id}`);
    if (outcome.kind === 'failed' || left.length > 0) {
      await this.page.load();
      await this.page.visit(this.version);
    } else {
      await this.page.empty();
    }
    this.entries = 0;
  }

  private async lastEntry(): Promise<number> {
    const [row] = await this.service.query<{ id: number }>(
      `SELECT max(id)::int AS id FROM pf.log WHERE version_id = ${this.version}`,
    );
    return row?.id ?? 0;
  }

  /** Waits until every number on screen is that of SQL. */
  private async compare(when: string): Promise<void> {
    const cells = await this.oracle.cells();
    if (cells === null) return;
    const wrongOf = (seen: Seen) => wrongOnScreen(seen, cells, this.oracle, this.layout);
    await untilRight(this.page, when, wrongOf);
  }

  private async toggle(down: number): Promise<void> {
    const seen = await this.page.look();
    const rows = seen.rows.filter(({ icon }) => icon !== null);
    if (rows.length < 2) return;
    const row = at(rows.slice(1), down);
    if (row.icon) await this.page.press(row.icon);
    // The next press is aimed at the rows that are drawn then. A limit may hide all rows below an open one.
    const before = pathsOf(seen);
    const deadline = Date.now() + 3_000;
    while (Date.now() < deadline && pathsOf(await this.page.look()) === before) {
      await this.page.page.waitForTimeout(25);
    }
    await this.page.frames();
  }

  private neighbour(seen: Seen, from: Pressed, key: string): Pressed | null {
    if (from.place !== 'body') return null;
    const width = new Set(seen.cells.map(columnKey)).size;
    const index = seen.cells.findIndex((cell) => cellKey(cell) === cellKey(from));
    const step = { ArrowDown: width, ArrowUp: -width, ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
    const next = seen.cells[index + step];
    const isSideways = step === 1 || step === -1;
    if (index < 0 || !next || (isSideways && next.at.y !== seen.cells[index]?.at.y)) return null;
    return { ...next, place: 'body' };
  }

  /** Waits until the cells that are marked are the selected ones. */
  private async checkMarks(cells: readonly Pressed[]): Promise<void> {
    if (cells.some((cell) => cell.place !== 'body')) return;
    const wanted = new Set(cells.map(cellKey));
    const deadline = Date.now() + 15_000;
    for (;;) {
      const seen = await this.page.look();
      const wrong = seen.cells.find((cell) => cell.marked !== wanted.has(cellKey(cell)));
      if (!wrong) return;
      if (Date.now() > deadline) {
        const not = wrong.marked ? '' : 'not ';
        const said = seen.obstacle ?? (await this.page.toasts()).at(-1) ?? 'nothing';
        throw new Broken(
          `${cellKey(wrong)} is ${not}marked; selected is ${shown(cells)}; the page says: ${said}`,
        );
      }
      await this.page.page.waitForTimeout(20);
    }
  }
}

/** The rows on screen, to compare. */
const pathsOf = ({ rows }: Seen): string => JSON.stringify(rows.map(({ path }) => path));

function toggled(cells: Pressed[], cell: Pressed): Pressed[] {
  const others = cells.filter((other) => cellKey(other) !== cellKey(cell));
  return others.length < cells.length ? others : [...cells, cell];
}
