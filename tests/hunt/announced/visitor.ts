/** Plays cases in which the page announces amounts, and compares the announced amounts with the written ones. */
import { pointAt } from '../aiming';
import { Broken, reasonOf, Refused, type Outcome } from '../outcome';
import { cellKey, checkEmpty, meaningsOf, shown } from '../screen';
import type { Hunt, Visitor } from '../visit';
import type { Pressed } from '../watch';
import { startsOf } from './aiming';
import { BlockActs } from './block';
import { CellActs } from './cell';
import { numbersIn, type Counts } from './compare';
import { FormActs } from './form';
import { randomAnnouncedRound, type AnnouncedRound, type DrawnSlice } from './round';
import { Stage, type Selected } from './stage';
import {
  DOMAINS_SQL,
  PRICE,
  randomAmountLayout,
  randomAmounts,
  storedAmountLayout,
  unitsOf,
  type AmountLayout,
  type AmountTable,
} from './table';
import { Trials } from './trials';

/** Acts on a block. The page writes them without a trial. */
const AT_ONCE = new Set<string>(['block', 'paste', 'fill']);

/**
 * The hunt for announced amounts that differ from the written ones.
 *
 * @param counts counts the comparisons
 * @param least the number of rows of each version, which then has indexes for slices; null for small versions
 */
export const announcedHunt = (
  counts: Counts,
  least: number | null = null,
): Hunt<AmountTable, AmountLayout, AnnouncedRound> => ({
  size: least === null ? 12 : 42,
  redraws: 2,
  seeds: { visit: 'announced', round: 'announced case' },
  prepared: DOMAINS_SQL,
  table: (visit, random) => randomAmounts(`amounts ${visit}`, random, least),
  layout: randomAmountLayout,
  stored: storedAmountLayout,
  round: randomAnnouncedRound,
  visitor: (ground) => new AnnouncedVisitor(new Stage(ground, counts)),
});

class AnnouncedVisitor implements Visitor<AnnouncedRound> {
  private readonly forms: FormActs;
  private readonly cells: CellActs;
  private readonly blocks: BlockActs;
  readonly happened: unknown[];

  constructor(private readonly stage: Stage) {
    const trials = new Trials(stage);
    this.forms = new FormActs(stage, trials);
    this.cells = new CellActs(stage, trials);
    this.blocks = new BlockActs(stage, this.cells);
    this.happened = stage.happened;
  }

  async open(): Promise<{ hasCells: boolean }> {
    const { isEmpty } = await this.stage.hunt.visit(this.stage.version);
    if (isEmpty) await checkEmpty(this.stage.oracle);
    else await this.stage.compareScreen('when opened');
    return { hasCells: !isEmpty };
  }

  async play(round: AnnouncedRound): Promise<void> {
    this.stage.hunt.errors.length = 0;
    this.happened.length = 0;
    if (round.locks) await this.setLocks(round.locks);
    const selected = await this.select(round);
    const entry = await this.act(selected, round);
    if (entry !== null) {
      for (const kind of this.kindsOf(round, selected)) this.stage.compare.written(kind);
      if (round.undoes) await this.undo(selected, entry);
    }
    if (this.stage.hunt.errors.length > 0)
      throw new Broken(`The page threw: ${this.stage.hunt.errors[0]}`);
  }

  /** The kinds that a written case counts as. */
  private kindsOf(
    { act, tries, holdPrice }: AnnouncedRound,
    { cells, before }: Selected,
  ): string[] {
    const isPriced =
      unitsOf(this.stage.table) !== undefined && act.kind !== 'paste' && act.kind !== 'fill';
    const isScale = act.kind !== 'recode' && act.kind !== 'clone';
    return [
      ...(act.kind === 'form' ? act.fields.map(({ by }) => `form: ${by}`) : []),
      ...(act.kind === 'cell' ? [this.typedKind(cells, act.text)] : []),
      ...(cells.some((cell) => cell.measure === 'cost') ? ['further measure'] : []),
      ...(act.kind === 'form' || act.kind === 'cell' ? [] : [act.kind]),
      ...(isScale && isPriced && holdPrice ? ['at a held price'] : []),
      ...(before.held.rows > 0 ? ['around locks'] : []),
      ...(tries === 'keep' && !AT_ONCE.has(act.kind) ? ['after a trial'] : []),
    ];
  }

  async leave({ tries }: AnnouncedRound, { kind }: Outcome): Promise<void> {
    const { hunt, page, version } = this.stage;
    if (kind === 'failed') {
      await hunt.load();
      await hunt.visit(version);
      return;
    }
    // The list of tried changes stays until it is discarded.
    await page.discardTrial();
    if (kind === 'refused' || tries === 'discard') await hunt.empty();
  }

  private async setLocks(locks: DrawnSlice[]): Promise<void> {
    const { api } = this.stage.service;
    const { body: old } = await api.get(`/versions/${this.stage.version}/locks`);
    const own = (old as { id: number; logid?: number }[]).filter(
      ({ logid }) => logid === undefined,
    );
    for (const { id } of own) await api.del(`/locks/${id}`);
    for (const slice of locks) {
      const { status, body } = await api.post(`/versions/${this.stage.version}/locks`, {
        slice,
        pf_user: 'eve',
      });
      if (status >= 300) throw new Error(`No lock: ${JSON.stringify(body)}`);
    }
    this.stage.locks = [...this.stage.closed, ...locks];
    await this.stage.page.knowsLocks(this.stage.locks.length);
  }

  /** Presses the cells of a case, and compares the totals in the panel with the rows behind them. */
  private async select(round: AnnouncedRound): Promise<Selected> {
    const { act, aim, added, fits } = round;
    const { hunt } = this.stage;
    const isTyped = ['cell', 'block', 'paste', 'fill'].includes(act.kind);
    const screen = await hunt.look();
    const formulas = this.stage.table.formulas.map(({ name }) => name);
    const starts = fits ? startsOf(round, screen.cells, formulas) : screen.cells;
    const start = isTyped ? { ...aim, place: 'body' as const } : aim;
    const first = pointAt({ ...screen, cells: starts }, start, this.stage.layout);
    let seen = await hunt.selecting(() => hunt.press(first));
    let cells = [await hunt.lastPressed()];
    for (const other of added) {
      const point = pointAt(await hunt.look(), other, this.stage.layout);
      const add = () => hunt.selecting(() => hunt.press(point, { ctrl: true }));
      const after = await add();
      const pressed = await hunt.lastPressed();
      const isSame = cells.some((cell) => cellKey(cell) === cellKey(pressed));
      // The same cell is let go again, and cells without a common slice are no selection.
      if (after.apart || isSame) seen = await add();
      else [seen, cells] = [after, [...cells, pressed]];
    }
    if (!seen.selected) throw new Broken(`Pressing ${shown(cells)} selected nothing`);
    if (seen.refused) throw new Refused(reasonOf(seen.obstacle));
    const announced = await this.stage.page.settled();
    const meanings = await meaningsOf(cells, this.stage.oracle, this.stage.layout);
    const where = this.stage.oracle.behind(meanings ?? []);
    if (where === null) throw new Error('The selection has no SQL condition');
    const before = await this.stage.stored.sums(where, this.stage.locks);
    this.stage.compareTotals('panel: total before', announced, before);
    this.happened.push({ selected: shown(cells), before, locks: this.stage.locks });
    return { cells, where, before, announced };
  }

  private async act(selected: Selected, round: AnnouncedRound): Promise<number | null> {
    const { act } = round;
    const { announced } = selected;
    const isScale = act.kind !== 'recode' && act.kind !== 'clone';
    await this.stage.page.openTab(
      isScale ? 'Scale' : act.kind === 'recode' ? 'Recode' : 'Clone',
      announced,
    );
    if (isScale)
      await this.stage.page.set(round.spread, round.holdPrice, await this.stage.page.read());
    switch (act.kind) {
      case 'form':
      case 'recode':
      case 'clone':
        return this.forms.applyForm(selected, round);
      case 'cell':
        return this.cells.typeIntoCell(selected, round, this.textFor(selected, round, act.text));
      default:
        return this.blocks.typeIntoBlock(selected, round);
    }
  }

  /** The text of a case that types into a cell: for a formula, a result. */
  private textFor({ cells: [cell] }: Selected, { result }: AnnouncedRound, text: string): string {
    return result !== null && cell && this.stage.formulaIn(cell) ? result : text;
  }

  private typedKind([cell]: readonly Pressed[], text: string): string {
    if (cell && this.stage.formulaIn(cell)) return 'typed result';
    return cell?.measure === PRICE ? 'typed price' : typedKind(text);
  }

  private async undo({ where, before }: Selected, entry: number): Promise<void> {
    const rows = (await this.stage.stored.written(entry)).length;
    const toasts = (await this.stage.hunt.toasts()).length;
    if (!(await this.stage.hunt.undo())) throw new Broken('The page did not undo');
    await this.stage.hunt.idle();
    await this.stage.compareScreen('after the undo');
    const after = await this.stage.stored.sums(where, this.stage.locks);
    this.stage.compare.text('undo: sums', JSON.stringify(before), JSON.stringify(after));
    const said = (await this.stage.hunt.toasts())
      .slice(toasts)
      .find((text) => text.startsWith('Undone'));
    if (said) this.stage.compare.rows('undo: rows', numbersIn(said)[0], rows);
  }
}

function typedKind(text: string): string {
  if (text.endsWith('%') || /^[*/]/.test(text)) return 'typed percentage';
  return /^[-+]/.test(text) ? 'typed change' : 'typed total';
}
