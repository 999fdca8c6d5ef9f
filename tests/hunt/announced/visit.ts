/** Plays cases in which the page announces amounts, and compares them with what is written. */
import type { Service } from '../../support/service';
import type { HuntLayout } from '../layout';
import { Oracle } from '../oracle';
import { Broken, messageOf, outcomeOf, reasonOf, Refused, type Outcome } from '../outcome';
import type { HuntPage, Pressed, Seen, SeenCell } from '../page';
import { Random } from '../random';
import type { Aim } from '../round';
import { cellKey, meaningsOf, shown, wrongOnScreen } from '../screen';
import { describe, dropVersion, makeVersion, storedTable } from '../version';
import { cornersOf, pastedOver, startsOf } from './aiming';
import { amountText, Comparison, numbersIn, type Counts } from './compare';
import { AnnouncingPage, type Announced, type Sent } from './page';
import { randomAnnouncedRound, type AnnouncedRound, type DrawnSlice } from './round';
import { sliceSql, Stored, type CellSums, type WrittenRow } from './stored';
import {
  DOMAINS_SQL,
  PRICE,
  randomAmountLayout,
  randomAmounts,
  storedAmountLayout,
  type AmountMeasure,
  type AmountTable,
} from './table';
import { expectedOf } from './typed';

/** Cases that share a table, a layout and a page. */
export const CASES_A_VISIT = 12;

/**
 * Makes a random table of amounts, opens it and plays the first cases of a visit. A case follows from its seed
 * and number and from the cases before it in the visit.
 *
 */
export async function playAnnounced(
  service: Service,
  page: HuntPage,
  seed: number,
  visit: number,
  cases: number,
  tell: (number: number, outcome: Outcome) => void,
  counts: Counts,
): Promise<void> {
  const random = new Random(seed, 'announced', visit);
  const table = randomAmounts(`amounts ${visit}`, random);
  const layout = randomAmountLayout(table, random);
  const first = visit * CASES_A_VISIT;
  await service.query(DOMAINS_SQL);
  const made = await makeVersion(service, table, storedAmountLayout(layout));
  if (typeof made === 'string') throw new Error(`The table could not be made: ${made}`);
  const visitor = new Visitor(service, page, table, layout, made.version, new Comparison(counts));
  let broken: string | null = null;
  try {
    await visitor.open();
  } catch (error) {
    broken = `The page did not open: ${messageOf(error)}`;
  }
  for (let i = 0; i < cases; i++) {
    const round = randomAnnouncedRound(table, new Random(seed, 'announced case', first + i));
    const story = () =>
      JSON.stringify({
        table: describe(table),
        layout: storedAmountLayout(layout),
        round,
        happened: visitor.happened,
      });
    if (broken !== null) {
      tell(first + i, { kind: 'failed', what: broken, story: story() });
      continue;
    }
    const outcome = await visitor.play(round).then(
      (): Outcome => ({ kind: 'held' }),
      (error: unknown) => outcomeOf(error, story),
    );
    tell(first + i, outcome);
    await visitor.tidy(outcome.kind !== 'held', outcome.kind === 'failed');
  }
  await dropVersion(service, table, made);
}

/** Selected cells, and the rows behind them. */
interface Selected {
  cells: Pressed[];
  /** The rows behind the cells as a condition. */
  where: string;
  before: CellSums;
  announced: Announced;
}

/** An entry that was written. */
interface Entry {
  rows: WrittenRow[];
  after: CellSums;
  seen: Seen;
}

class Visitor {
  private readonly oracle: Oracle;
  private readonly stored: Stored;
  private readonly page: AnnouncingPage;
  private locks: DrawnSlice[] = [];
  /** What happened in the case, for its story. */
  readonly happened: unknown[] = [];
  /** The labels of the columns that were on screen. */
  private readonly columnLabels = new Set<string>();

  constructor(
    private readonly service: Service,
    private readonly hunt: HuntPage,
    private readonly table: AmountTable,
    private readonly layout: HuntLayout,
    private readonly version: number,
    private readonly compare: Comparison,
  ) {
    const name = storedTable(table, version);
    this.oracle = new Oracle(service.query, table, layout, name);
    this.stored = new Stored(service.query, table, name, version);
    this.page = new AnnouncingPage(hunt);
  }

  async open(): Promise<void> {
    await this.hunt.visit(this.version);
    await this.compareScreen('when opened');
  }

  async play(round: AnnouncedRound): Promise<void> {
    this.hunt.errors.length = 0;
    this.happened.length = 0;
    if (round.locks) await this.setLocks(round.locks);
    const selected = await this.select(round);
    const entry = await this.act(selected, round);
    if (entry !== null) {
      for (const kind of this.kindsOf(round, selected)) this.compare.written(kind);
      if (round.undoes) await this.undo(selected, entry);
    }
    if (this.hunt.errors.length > 0) throw new Broken(`The page threw: ${this.hunt.errors[0]}`);
  }

  /** The kinds that a written case counts as. */
  private kindsOf(
    { act, tries, holdPrice }: AnnouncedRound,
    { cells, before }: Selected,
  ): string[] {
    const isPriced = this.table.measures.length > 1 && act.kind !== 'paste' && act.kind !== 'fill';
    const isScale = act.kind !== 'recode' && act.kind !== 'clone';
    return [
      ...(act.kind === 'form' ? act.fields.map(({ by }) => `form: ${by}`) : []),
      ...(act.kind === 'cell' ? [typedKind(cells, act.text)] : []),
      ...(act.kind === 'form' || act.kind === 'cell' ? [] : [act.kind]),
      ...(isScale && isPriced && holdPrice ? ['at a held price'] : []),
      ...(before.held.rows > 0 ? ['around locks'] : []),
      ...(tries === 'keep' ? ['after a trial'] : []),
    ];
  }

  /** Leaves the page as the next case expects it. */
  async tidy(isOpen: boolean, isFailed: boolean): Promise<void> {
    if (isFailed) {
      await this.hunt.load();
      await this.hunt.visit(this.version);
      return;
    }
    if (isOpen) await this.hunt.empty();
  }

  private async setLocks(locks: DrawnSlice[]): Promise<void> {
    const { api } = this.service;
    const { body: old } = await api.get(`/versions/${this.version}/locks`);
    for (const { id } of old as { id: number }[]) await api.del(`/locks/${id}`);
    for (const slice of locks) {
      const { status, body } = await api.post(`/versions/${this.version}/locks`, {
        slice,
        pf_user: 'eve',
      });
      if (status >= 300) throw new Error(`No lock: ${JSON.stringify(body)}`);
    }
    this.locks = locks;
    await this.page.knowsLocks(locks.length);
  }

  /** Presses the cells of a case, and compares the totals in the panel with the rows behind them. */
  private async select(round: AnnouncedRound): Promise<Selected> {
    const { act, aim, added, fits } = round;
    const { hunt } = this;
    const isTyped = ['cell', 'block', 'paste', 'fill'].includes(act.kind);
    const screen = await hunt.look();
    const starts = fits ? startsOf(round, screen.cells) : screen.cells;
    const first = this.pointAt(
      { ...screen, cells: starts },
      isTyped ? { ...aim, place: 'body' } : aim,
    );
    let seen = await hunt.selecting(() => hunt.press(first));
    let cells = [await hunt.lastPressed()];
    for (const other of added) {
      const point = this.pointAt(await hunt.look(), other);
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
    const announced = await this.page.settled();
    const meanings = await meaningsOf(cells, this.oracle, this.layout);
    const where = this.oracle.behind(meanings ?? []);
    if (where === null) throw new Error('The selection has no SQL condition');
    const before = await this.stored.sums(where, this.locks);
    this.compareTotals('panel: total before', announced, before);
    this.happened.push({ selected: shown(cells), before, locks: this.locks });
    return { cells, where, before, announced };
  }

  private async act(selected: Selected, round: AnnouncedRound): Promise<number | null> {
    const { act } = round;
    const { announced } = selected;
    const isScale = act.kind !== 'recode' && act.kind !== 'clone';
    await this.page.openTab(
      isScale ? 'Scale' : act.kind === 'recode' ? 'Recode' : 'Clone',
      announced,
    );
    if (isScale) await this.page.set(round.spread, round.holdPrice, await this.page.read());
    switch (act.kind) {
      case 'form':
      case 'recode':
      case 'clone':
        return this.applyForm(selected, round);
      case 'cell':
        return this.typeIntoCell(selected, round, act.text);
      default:
        return this.typeIntoBlock(selected, round);
    }
  }

  // The form

  private async applyForm(selected: Selected, round: AnnouncedRound): Promise<number | null> {
    const { act } = round;
    const { page, hunt } = this;
    if (act.kind === 'form') await page.fillFields(act.fields);
    else if (act.kind === 'clone') {
      await page.fillFactor(act.factor);
      await page.fillSet(act.set);
    } else if (act.kind === 'recode') await page.fillSet(act.set);
    let announced = await page.settled();
    const gross = announced.caution;
    const isTried = round.tries !== 'no' && (announced.obstacle === null || gross !== null);
    if (gross !== null && !isTried && round.confirms) {
      await page.confirm();
      announced = await page.settled();
    }
    const last = await this.stored.lastEntry();
    if (isTried) {
      const { sent, said } = await page.sending(() =>
        hunt.page.keyboard.press('Control+Shift+Enter'),
      );
      if (!sent) return this.nothingWritten(last, said ?? announced.obstacle);
      this.compareBody(announced, sent);
      this.accepted(sent, announced);
      const isKept = await this.endTrial(selected, round, last, () =>
        this.compareForm(selected, round, announced, gross, last),
      );
      return isKept ? this.stored.lastEntry() : null;
    }
    const { sent, said } = await page.sending(() => hunt.page.keyboard.press('Control+Enter'));
    if (announced.obstacle !== null) {
      if (sent) throw new Broken(`“${announced.obstacle}”, but it was sent`);
      return this.nothingWritten(last, announced.obstacle);
    }
    if (!sent) return this.nothingWritten(last, said);
    this.compareBody(announced, sent);
    this.accepted(sent, announced);
    await this.compareForm(selected, round, announced, gross, last);
    return this.stored.lastEntry();
  }

  private compareBody({ body }: Announced, sent: Sent): void {
    const announced = JSON.parse(body?.replace(/^POST \S+\s/, '') ?? 'null') as object;
    this.compare.text('panel: body', JSON.stringify(announced), JSON.stringify(sent.body));
  }

  /** Compares the announcements of the form with the entry. @param gross the caution before it was confirmed */
  private async compareForm(
    selected: Selected,
    { act }: AnnouncedRound,
    announced: Announced,
    gross: string | null,
    last: number,
  ): Promise<void> {
    const { before } = selected;
    const { compare } = this;
    const entry = await this.entryAfter(selected, last);
    const isScale = act.kind === 'form';
    const touched = isScale
      ? before.rows - before.held.rows
      : act.kind === 'recode'
        ? await this.movedRows(selected, act.set, last)
        : before.rows;
    const set = act.kind === 'recode' ? act.set : null;
    const extent = announced.extent?.replace('This changes the whole version.', '') ?? null;
    // Of a part such as “moves 0 amount (200 in absolute amounts)”, the numbers.
    const parts = extent === null ? [] : extent.split(', ');
    const partOf = (measure: string) =>
      numbersIn(
        parts.find((part) => part.includes(` ${measure}`) || part.trim().startsWith(measure)) ??
          null,
      );
    if (act.kind !== 'recode')
      compare.rows('button: rows', numbersIn(announced.button)[0], touched);
    const moved = set && entry.rows.filter(({ leaf }) => isAt(leaf, set));
    for (const measure of this.table.measures) {
      const { name } = measure;
      const changes = (moved ?? entry.rows).map(({ amounts }) => amounts[name] ?? 0);
      const delta = sumOf(moved ?? entry.rows, name);
      const [change, gross] = partOf(name);
      if (!isScale) compare.amount(`box: ${act.kind}`, measure, change, delta);
      else {
        const total = entry.after.sums[name] ?? 0;
        this.compareFields(measure, act.fields, announced, before.sums[name] ?? 0, total);
        if (delta !== 0 && change !== undefined) {
          compare.amount('box: change', measure, change, delta);
        }
      }
      if (gross !== undefined) {
        const absolute = changes.reduce((sum, each) => sum + Math.abs(each), 0);
        compare.amount('box: absolute amounts', measure, gross, absolute);
      }
    }
    if (extent === null) compare.silent(`box of a ${act.kind}`);
    else compare.rows('box: rows', numbersIn(parts.at(-1) ?? null).at(-1), touched);
    if (isScale) {
      this.compareComputed(announced, before, entry.after);
      this.comparePrice(announced, entry.after);
      if (announced.remainder) {
        const units = this.table.measures[1] as AmountMeasure;
        const delta = sumOf(entry.rows, units.name);
        compare.amount('form: units instead of', units, numbersIn(announced.remainder)[0], delta);
      }
      if (announced.spread === 'equal') this.compareEqual(announced, entry.rows);
      this.compareGross('form: caution', gross, entry.rows);
    }
    await this.compareTotalsAfter(entry.after);
  }

  /** Number of rows behind the cells, before an entry, that did not have the values of a recode yet. */
  private async movedRows(
    { where }: Selected,
    set: Record<string, string | null>,
    last: number,
  ): Promise<number> {
    const moved = `(${where}) AND pf_logid <= ${last} AND NOT ${sliceSql(set)}`;
    return (await this.stored.sums(moved, [])).rows;
  }

  private compareFields(
    measure: AmountMeasure,
    typed: { measure: string; by: string }[],
    { fields }: Announced,
    before: number,
    after: number,
  ): void {
    const { name } = measure;
    const isTyped = (by: string) =>
      typed.some((field) => field.measure === name && field.by === by);
    const text = (by: string) => (isTyped(by) ? '' : (fields[`${name}: ${by}`] ?? ''));
    const [total, change, percent] = ['New total', 'Change', 'Percent'].map(text);
    if (total) this.compare.amount('form: new total', measure, numbersIn(total)[0], after);
    if (change) {
      this.compare.amount('form: change', measure, numbersIn(change)[0], after - before);
    }
    if (percent && before !== 0) {
      const share = ((after - before) / before) * 100;
      this.compare.percent('form: percent', name, numbersIn(percent)[0], share, 2);
    }
  }

  private compareComputed({ computed }: Announced, before: CellSums, after: CellSums): void {
    for (const [i, role] of ['value', 'units'].entries()) {
      const measure = this.table.measures[i];
      const text = new RegExp(`${role}_incr: (\\S+?)(,|$)`).exec(computed ?? '')?.[1];
      if (!measure || text === undefined) continue;
      const delta = (after.sums[measure.name] ?? 0) - (before.sums[measure.name] ?? 0);
      this.compare.amount('form: computed amount', measure, String(Number(text)), delta);
    }
  }

  private comparePrice({ price }: Announced, { sums }: CellSums): void {
    const [value, units] = this.table.measures.map(({ name }) => sums[name] ?? 0);
    const announced = numbersIn(price).at(-1);
    // Fewer units are the rounding error of a floating-point column, and have no price.
    const hasPrice = Math.abs(units ?? 0) > 1e-9;
    if (hasPrice && units && value !== undefined && announced !== undefined) {
      this.compare.price('form: price', announced, value / units);
    }
  }

  /** Equal parts differ by at most one unit of the column. */
  private compareEqual({ body }: Announced, rows: readonly WrittenRow[]): void {
    if (!body?.includes('"spread": "equal"')) return;
    for (const measure of this.table.measures) {
      const parts = rows.map(({ amounts }) => amounts[measure.name] ?? 0);
      const room = measure.decimals === null ? 0.0101 : 1.01 * 10 ** -measure.decimals;
      const spread = Math.max(...parts) - Math.min(...parts);
      this.compare.text('equal parts', 'equal', spread <= room ? 'equal' : `parts ${parts.join()}`);
    }
  }

  private compareGross(kind: string, caution: string | null, rows: readonly WrittenRow[]): void {
    const [, name, amount] = /decreases of (\S+) add up to ([\d,.]+\d)/.exec(caution ?? '') ?? [];
    const measure = this.table.measures.find((each) => each.name === name);
    if (!measure) return;
    const parts = rows.map(({ amounts }) => Math.abs(amounts[measure.name] ?? 0));
    const gross = parts.reduce((sum, part) => sum + part, 0);
    // Each part is rounded, and the announced sum of them is not.
    const unit = measure.decimals === null ? 0.01 : 10 ** -measure.decimals;
    const announced = Number(numbersIn(amount ?? '')[0]);
    const isNear = Math.abs(announced - gross) <= unit * (1 + parts.length / 2) + gross * 1e-9;
    this.compare.text(kind, 'gross', isNear ? 'gross' : `${gross} for ${announced}`);
  }

  // Cells

  private async typeIntoCell(
    selected: Selected,
    round: AnnouncedRound,
    text: string,
  ): Promise<number | null> {
    const { page, hunt } = this;
    const { keyboard } = hunt.page;
    await page.focusGrid();
    const last = await this.stored.lastEntry();
    const announced = await this.typeOver(selected, text);
    const { editor } = announced;
    if (!editor?.isOpen || editor.meaning === null || !editor.meaning.includes('→')) {
      const isEmpty = editor?.models?.length === 0;
      return this.refuseTyped(announced, last, isEmpty);
    }
    const isModelled = editor.models !== null && editor.models.length > 0;
    if (isModelled) await this.compareModel(selected, editor.models?.[0]);
    if (round.tries !== 'no' && !/in equal parts/.test(editor.caution ?? '')) {
      const { sent, said } = await page.sending(() => keyboard.press('Shift+Enter'));
      if (!sent) return this.announcedOnly(editor.meaning, said, last);
      this.accepted(sent, announced);
      const isKept = await this.endTrial(
        selected,
        round,
        last,
        () => this.compareTyped(selected, announced, sent, last, text),
        { hasTotals: !isModelled },
      );
      return isKept ? this.stored.lastEntry() : null;
    }
    if (editor.caution) {
      await keyboard.press('Enter');
      const asked = await page.settled();
      if (!asked.editor?.caution?.includes('Press Enter again')) {
        throw new Broken(`One Enter was enough after “${editor.caution}”`);
      }
      if (!round.confirms) {
        await keyboard.press('Escape');
        return this.nothingWritten(last, 'a caution was not confirmed');
      }
    }
    const { sent, said } = await page.sending(() => keyboard.press('Enter'));
    if (!sent) return this.announcedOnly(editor.meaning, said, last);
    this.accepted(sent, announced);
    await this.compareTyped(selected, announced, sent, last, text);
    return this.stored.lastEntry();
  }

  /**
   * Types a text over the selected cell. Only its first key where the page must refuse: another one would close
   * the reason.
   */
  private async typeOver({ cells, before }: Selected, text: string): Promise<Announced> {
    const cell = cells.at(-1) as Pressed;
    const isLocked = before.rows > 0 && before.held.rows === before.rows;
    const hasNoPrice = cell.measure === PRICE && (cell.text === '' || cell.text === '-');
    await this.hunt.page.keyboard.type(isLocked || hasNoPrice ? text.slice(0, 1) : text);
    return this.editor();
  }

  /** The announcements once the field over the cell says what the amount means. */
  private async editor(): Promise<Announced> {
    const deadline = Date.now() + 3_000;
    for (;;) {
      const announced = await this.page.settled();
      const { editor } = announced;
      const isSaid = editor !== null && (editor.meaning ?? '') !== '';
      if (isSaid || Date.now() > deadline) return announced;
    }
  }

  /** Nothing was sent although the field announced a change; right only if the change is none. */
  private async announcedOnly(meaning: string, said: string | null, last: number): Promise<null> {
    const [now, total] = numbersIn(meaning);
    if (now !== total) throw new Broken(`Announced “${meaning}”; nothing was written: ${said}`);
    return this.nothingWritten(last, said);
  }

  /** Enters an amount that the page says cannot be written. */
  private async refuseTyped({ editor }: Announced, last: number, isEmpty: boolean): Promise<null> {
    const { keyboard } = this.hunt.page;
    const reason = isEmpty ? 'nothing to copy' : (editor?.meaning ?? 'nothing was announced');
    if (editor === null) throw new Broken('No field opened over the cell');
    if (editor.meaning === null || editor.meaning === '') {
      throw new Broken('The field over the cell says nothing of the amount');
    }
    const isReadable = editor.isOpen && !/^Not an amount|more digits/.test(editor.meaning);
    if (isReadable) {
      const { sent } = await this.page.sending(() => keyboard.press('Enter'));
      if (sent) throw new Broken(`“${editor.meaning}”, but it was sent`);
    } else if (editor.isOpen) await keyboard.press('Enter');
    await keyboard.press('Escape');
    return this.nothingWritten(last, reason);
  }

  /** Compares the announced total of the rows that an empty cell is modelled on. */
  private async compareModel(
    { cells }: Selected,
    model: [name: string, total: string] | undefined,
  ): Promise<void> {
    const [cell] = cells as [Pressed];
    const measure = this.table.measures.find(({ name }) => name === cell.measure);
    if (!model || !measure) return;
    const [name, total] = model;
    const parent = cell.row.slice(0, -1);
    const isParent = name === (parent.at(-1) ?? 'all rows');
    const [row, column] =
      name === 'all of this row'
        ? [cell.row, []]
        : isParent && !this.columnLabels.has(name)
          ? [parent, cell.column]
          : [cell.row, [name]];
    const [meaning] = await this.oracle.find(row, column);
    const where = meaning && this.oracle.behind([meaning]);
    if (!where) throw new Broken(`No rows are named ${name}`);
    const { sums } = await this.stored.sums(where, []);
    this.compare.amount('cell: model', measure, numbersIn(total)[0], sums[measure.name] ?? 0);
  }

  private async compareTyped(
    selected: Selected,
    { editor }: Announced,
    sent: Sent,
    last: number,
    text: string,
  ): Promise<void> {
    const { compare } = this;
    const { before, cells } = selected;
    const [cell] = cells as [Pressed];
    const entry = await this.entryAfter(selected, last);
    const [now, total, percent] = numbersIn(editor?.meaning ?? null);
    const drawn = entry.seen.cells.find((each) => cellKey(each) === cellKey(cell));
    if (cell.measure === PRICE) {
      const [value, units] = this.table.measures as [AmountMeasure, AmountMeasure];
      const price = ({ sums }: CellSums) => (sums[value.name] ?? 0) / (sums[units.name] ?? 0);
      compare.price('price: now', now, price(before));
      compare.price('price: total', total, price(entry.after));
      if (drawn) compare.text('price: on screen', total ?? '', pricedAs(drawn.text, total ?? ''));
      return;
    }
    const measure = this.table.measures.find(({ name }) => name === cell.measure) as AmountMeasure;
    const was = before.sums[measure.name] ?? 0;
    const is = entry.after.sums[measure.name] ?? 0;
    compare.amount('cell: now', measure, now, was);
    compare.amount('cell: total', measure, total, is);
    if (drawn)
      compare.amount('cell: on screen', measure, numbersIn(drawn.text)[0] ?? '0', Number(total));
    if (percent !== undefined && was !== 0 && !/[%*/]/.test(text)) {
      compare.percent('cell: percent', measure.name, percent, ((is - was) / was) * 100, 1);
    }
    if (/in equal parts/.test(editor?.meaning ?? '')) {
      this.compareEqual({ body: '"spread": "equal"' } as Announced, entry.rows);
    }
    this.compareGross('cell: caution', editor?.caution ?? null, entry.rows);
    const isHeld = editor?.chips.some((chip) => chip.includes('at held price')) ?? false;
    if (isHeld && sent.path.endsWith('/scale')) this.compareHeld(before, entry.after);
  }

  /** A held price moves value and units by the same share, to one unit of each column. */
  private compareHeld(before: CellSums, after: CellSums): void {
    const [value, units] = this.table.measures as [AmountMeasure, AmountMeasure];
    const [v, u] = [value, units].map(({ name }) => before.sums[name] ?? 0) as [number, number];
    const [dv, du] = [value, units].map(
      ({ name }) => (after.sums[name] ?? 0) - (before.sums[name] ?? 0),
    ) as [number, number];
    if (v === 0 || u === 0 || before.held.rows > 0) return;
    const unit = (measure: AmountMeasure) => 10 ** -(measure.decimals ?? 2);
    const room = unit(units) + Math.abs(u / v) * unit(value);
    const isSame = Math.abs(du - (dv * u) / v) <= room;
    this.compare.text('cell: held price', 'held', isSame ? 'held' : `${dv} of ${v}, ${du} of ${u}`);
  }

  // Blocks

  private async typeIntoBlock(selected: Selected, round: AnnouncedRound): Promise<number | null> {
    const { page, hunt } = this;
    const { act } = round;
    const { keyboard, mouse } = hunt.page;
    const [start] = selected.cells as [Pressed];
    let marked: SeenCell[] = [];
    if (act.kind === 'block' || act.kind === 'fill') {
      const screen = await hunt.look();
      const from = screen.cells.find((cell) => cellKey(cell) === cellKey(start));
      const corners = round.fits && from ? cornersOf(act, round.holdPrice, from, screen.cells) : [];
      const cells = corners.length > 0 ? corners : screen.cells;
      const { x, y } = this.pointAt({ ...screen, cells }, act.corner);
      await hunt.selecting(async () => {
        await keyboard.down('Shift');
        await mouse.click(x, y);
        await keyboard.up('Shift');
      });
      await hunt.frames();
      marked = (await hunt.look()).cells.filter((cell) => cell.marked);
    }
    await page.focusGrid();
    const last = await this.stored.lastEntry();
    if (act.kind === 'block') {
      const announced = await this.typeOver(selected, act.text);
      const { editor } = announced;
      if (!editor?.isOpen || !editor.meaning?.includes('→')) {
        return this.refuseTyped(announced, last, editor?.models?.length === 0);
      }
      const { sent, said } = await page.sending(() => keyboard.press('Control+Enter'));
      if (!sent) {
        await keyboard.press('Escape');
        await keyboard.press('Escape');
        return this.nothingWritten(last, said);
      }
      this.accepted(sent, announced);
      const isFree = !round.holdPrice && this.locks.length === 0;
      await this.compareBlock(selected, last, marked, (cell) =>
        isFree ? expectedOf(act.text, numberOf(cell)) : undefined,
      );
      if (marked.length < 2) return this.stored.lastEntry();
      const active = marked.find((cell) => cellKey(cell) === cellKey(start));
      if (active) await this.compareActive(active, editor.meaning);
      return this.stored.lastEntry();
    }
    const grid = await hunt.look();
    const { sent, said } = await page.sending(() =>
      act.kind === 'paste'
        ? page.paste(act.texts.map((line) => line.join('\t')).join('\n'))
        : keyboard.press(
            act.kind === 'fill' && act.direction === 'down' ? 'Control+d' : 'Control+r',
          ),
    );
    if (!sent) return this.nothingWritten(last, said);
    this.accepted(sent, null);
    const wanted =
      act.kind === 'paste'
        ? pastedInto(grid.cells, start, act.texts)
        : filledFrom(marked, act.kind === 'fill' ? act.direction : 'down');
    await this.compareBlock(selected, last, [...wanted.keys()], (cell) => wanted.get(cell));
    return this.stored.lastEntry();
  }

  /** The announced amount of the cell that was typed into, beside others, is on screen then. */
  private async compareActive(active: SeenCell, meaning: string): Promise<void> {
    const [, total] = numbersIn(meaning);
    const seen = await this.hunt.look();
    const drawn = seen.cells.find((cell) => cellKey(cell) === cellKey(active));
    if (!drawn) return;
    if (active.measure === PRICE) {
      this.compare.text('block: price', total ?? '', pricedAs(drawn.text, total ?? ''));
      return;
    }
    const measure = this.table.measures.find(
      ({ name }) => name === active.measure,
    ) as AmountMeasure;
    this.compare.amount(
      'block: cell typed into',
      measure,
      numbersIn(drawn.text)[0] ?? '0',
      Number(total),
    );
  }

  /** @param wanted the amount that a cell must show; undefined if the page has not announced any */
  private async compareBlock(
    selected: Selected,
    last: number,
    cells: readonly SeenCell[],
    wanted: (cell: SeenCell) => number | undefined,
  ): Promise<void> {
    const entry = await this.entryAfter(selected, last);
    const drawn = new Map(entry.seen.cells.map((cell) => [cellKey(cell), cell.text]));
    for (const cell of cells) {
      const amount = wanted(cell);
      const text = drawn.get(cellKey(cell));
      const measure = this.table.measures.find(({ name }) => name === cell.measure);
      if (amount === undefined || text === undefined || !measure) {
        this.compare.silent('cell of a block');
        continue;
      }
      const places = measure.decimals ?? 2;
      const isSame = Math.abs(Number(numbersIn(text)[0] ?? 0) - amount) <= 0.51 * 10 ** -places;
      this.compare.text(
        'block: cell',
        amountText(amount, places),
        isSame ? amountText(amount, places) : `${text} in ${cellKey(cell)}`,
      );
    }
  }

  // Trials

  /**
   * Compares a trial with the plan before it, keeps or discards it, and compares it with the plan after it.
   *
   * @param compareEntry compares the announcements before the trial with the entry
   * @returns whether it was kept
   */
  private async endTrial(
    selected: Selected,
    { tries }: AnnouncedRound,
    last: number,
    compareEntry: () => Promise<void>,
    { hasTotals = true } = {},
  ): Promise<boolean> {
    const { page, hunt, compare } = this;
    await hunt.page.locator('section.trial').waitFor({ timeout: 20_000 });
    await hunt.idle();
    const { trial } = await page.settled();
    if (!trial) throw new Broken('The page shows no trial');
    if ((await this.stored.lastEntry()) !== last) throw new Broken('The trial was written');
    const tried = await hunt.look();
    const { before } = selected;
    if (hasTotals) {
      for (const [name, text] of trial.totals) {
        const measure = this.measureNamed(name);
        const now = numbersIn(text)[0];
        compare.amount('trial: total before', measure, now, before.sums[name] ?? 0);
      }
      const held = /Held: ([\d,]+) rows?/.exec(trial.text)?.[1]?.replaceAll(',', '') ?? '0';
      if (!/^(Recode|Clone)/.test(trial.text.replace(/^.*not saved /, ''))) {
        compare.rows('trial: held rows', held, before.held.rows);
      }
    }
    if (tries === 'discard') {
      await hunt.page.keyboard.press('Escape');
      await hunt.page.locator('section.trial').waitFor({ state: 'detached' });
      await hunt.idle();
      await this.compareScreen('after a trial was discarded');
      if ((await this.stored.lastEntry()) !== last) throw new Broken('The trial was written');
      return false;
    }
    const { sent, said } = await page.sending(() => hunt.page.keyboard.press('Control+Enter'));
    if (!sent) throw new Broken(`The trial was not kept: ${said}`);
    this.accepted(sent, null);
    await compareEntry();
    const { rows, after, seen } = await this.entryAfter(selected, last);
    const more = /: ([\d,]+) new rows?/.exec(trial.text)?.[1]?.replaceAll(',', '');
    compare.rows('trial: rows', more, rows.length);
    if (hasTotals) {
      for (const [name, text] of trial.totals) {
        const measure = this.measureNamed(name);
        compare.amount('trial: total', measure, numbersIn(text).at(-1), after.sums[name] ?? 0);
      }
    }
    this.compareBiggest(trial.biggest, rows);
    const now = new Map(seen.cells.map((cell) => [cellKey(cell), cell.text]));
    for (const cell of tried.cells) {
      compare.text('trial: cell on screen', cell.text, now.get(cellKey(cell)) ?? cell.text);
    }
    const lastCell = selected.cells.at(-1) as Pressed;
    for (const [name, text] of trial.onScreen) {
      const row = name === 'Total' ? [] : name.split(', ');
      const key = cellKey({ ...lastCell, row, measure: shownMeasure(lastCell.measure) });
      const cell = now.get(key);
      const measure = this.table.measures.find((m) => m.name === shownMeasure(lastCell.measure));
      if (cell === undefined || !measure) continue;
      compare.amount(
        'trial: total on screen',
        measure,
        numbersIn(text).at(-1),
        Number(numbersIn(cell)[0] ?? 0),
      );
    }
    return true;
  }

  private compareBiggest(biggest: readonly [string, string][], rows: readonly WrittenRow[]): void {
    const rest = [...rows];
    for (const [leaf, text] of biggest) {
      const [number = ''] = numbersIn(text);
      const isUnits =
        this.table.measures.length > 1 && text.endsWith(` ${this.table.measures[1]?.name}`);
      const measure = this.table.measures[isUnits ? 1 : 0] as AmountMeasure;
      const room = measure.decimals === null ? 0.0051 : 0.1 * 10 ** -measure.decimals;
      const found = rest.findIndex(
        ({ amounts }) => Math.abs((amounts[measure.name] ?? 0) - Number(number)) <= room,
      );
      if (found >= 0) rest.splice(found, 1);
      this.compare.text('trial: biggest change', leaf, found >= 0 ? leaf : `no row of ${text}`);
    }
  }

  private measureNamed(name: string): AmountMeasure {
    const measure = this.table.measures.find((each) => each.name === name);
    if (!measure) throw new Broken(`${name} is no measure`);
    return measure;
  }

  // What was written

  /** Reads the entry that was written, and compares the whole screen with SQL. */
  private async entryAfter({ where }: Selected, last: number): Promise<Entry> {
    await this.hunt.idle();
    const entry = await this.stored.lastEntry();
    if (entry === last) throw new Broken('Nothing was written');
    const rows = await this.stored.written(entry);
    const locked = await this.stored.writtenIn(entry, this.locks);
    if (locked > 0) throw new Broken(`${locked} locked rows were changed`);
    const after = await this.stored.sums(where, this.locks);
    this.happened.push({ written: rows, after });
    const seen = await this.compareScreen('after the change');
    return { rows, after, seen };
  }

  /** Ends a case in which nothing may be written. */
  private async nothingWritten(last: number, reason: string | null): Promise<never> {
    await this.hunt.idle();
    if ((await this.stored.lastEntry()) !== last) {
      throw new Broken(`It was written although the page said: ${reason}`);
    }
    await this.compareScreen('after a refusal');
    if (reason === null) throw new Broken('Nothing was written, and the page did not say why');
    throw new Refused(reasonOf(reason));
  }

  /** The service does what the page has announced. */
  private accepted({ status, error, body }: Sent, announced: Announced | null): void {
    this.happened.push({ sent: body, announced: announced && brief(announced) });
    if (status < 300) return;
    // A lock on the rows that a recode or clone moves to is known to the service only.
    if (status === 423 && Object.hasOwn(body, 'set')) throw new Refused(reasonOf(error));
    // Whether the parts of a copy that comes to 0 are 0 is known to the service only.
    const isZero = /^adds 0 [^1-9]*, from/.test(announced?.extent ?? '');
    if (status === 422 && isZero && error.includes('there is nothing to write')) {
      throw new Refused(reasonOf(error));
    }
    const said = announced?.editor?.meaning ?? announced?.extent ?? 'an amount';
    throw new Broken(
      `Announced “${said}”, but the service refuses ${JSON.stringify(body)}: ${status} ${error}`,
    );
  }

  /** Waits until the panel shows the totals after a change. */
  private async compareTotalsAfter(after: CellSums): Promise<void> {
    const deadline = Date.now() + 5_000;
    for (;;) {
      const announced = await this.page.settled();
      try {
        return this.compareTotals('panel: total after', announced, after);
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await this.hunt.page.waitForTimeout(30);
      }
    }
  }

  private compareTotals(kind: string, announced: Announced, { rows, sums, held }: CellSums): void {
    const { compare } = this;
    const texts = [announced.value, announced.units];
    if (announced.rows === null) return compare.silent(kind);
    for (const [i, measure] of this.table.measures.entries()) {
      compare.amount(kind, measure, numbersIn(texts[i] ?? null)[0], sums[measure.name] ?? 0);
    }
    compare.rows(kind, numbersIn(announced.rows)[0], rows);
    const [heldRows = '0', ...heldSums] = numbersIn(announced.held);
    compare.rows('panel: held', heldRows, held.rows);
    if (held.rows === 0) return;
    for (const [i, measure] of this.table.measures.entries()) {
      compare.amount('panel: held', measure, heldSums[i], held.sums[measure.name] ?? 0);
    }
  }

  private async undo({ where, before }: Selected, entry: number): Promise<void> {
    const rows = (await this.stored.written(entry)).length;
    const toasts = (await this.hunt.toasts()).length;
    if (!(await this.hunt.undo())) throw new Broken('The page did not undo');
    await this.hunt.idle();
    await this.compareScreen('after the undo');
    const after = await this.stored.sums(where, this.locks);
    this.compare.text('undo: sums', JSON.stringify(before), JSON.stringify(after));
    const said = (await this.hunt.toasts()).slice(toasts).find((text) => text.startsWith('Undone'));
    if (said) this.compare.rows('undo: rows', numbersIn(said)[0], rows);
  }

  /** Waits until every number on screen is that of SQL, in the decimals of its column. */
  private async compareScreen(when: string): Promise<Seen> {
    const cells = await this.oracle.cells();
    const deadline = Date.now() + 10_000;
    for (;;) {
      const seen = await this.hunt.look();
      for (const { column } of seen.cells) for (const label of column) this.columnLabels.add(label);
      const amounts = seen.cells.filter(({ measure }) => measure !== PRICE);
      const wrong =
        wrongOnScreen({ ...seen, cells: amounts }, cells ?? [], this.oracle, this.layout) ??
        this.wrongDecimals(amounts);
      if (wrong === null) return seen;
      if (Date.now() > deadline) throw new Broken(`On screen ${when}: ${wrong}`);
      await this.hunt.page.waitForTimeout(20);
    }
  }

  private wrongDecimals(cells: readonly SeenCell[]): string | null {
    for (const cell of cells) {
      const measure = this.table.measures.find(({ name }) => name === cell.measure);
      if (!measure || measure.decimals === null || cell.text === '') continue;
      const wanted = amountText(Number(numbersIn(cell.text)[0]), measure.decimals);
      if (cell.text !== wanted) return `${cellKey(cell)} shows “${cell.text}” for “${wanted}”`;
    }
    return null;
  }

  private pointAt(seen: Seen, { place, down, across }: Aim) {
    if (place === 'row' && seen.rows.length > 0) return at(seen.rows, down).header;
    if (place === 'head' && seen.heads.length > 0) return at(seen.heads, across).at;
    if (seen.cells.length === 0) throw new Refused('The filters leave nothing on screen');
    return at(seen.cells, (down * 7 + across * 3) % 1).at;
  }
}

const at = <T>(list: readonly T[], share: number): T => list[Math.floor(share * list.length)] as T;

const typedKind = ([cell]: readonly Pressed[], text: string): string => {
  if (cell?.measure === PRICE) return 'typed price';
  if (text.endsWith('%') || /^[*/]/.test(text)) return 'typed percentage';
  return /^[-+]/.test(text) ? 'typed change' : 'typed total';
};

const sumOf = (rows: readonly WrittenRow[], measure: string): number =>
  rows.reduce((sum, { amounts }) => sum + (amounts[measure] ?? 0), 0);

const isAt = (leaf: WrittenRow['leaf'], set: Record<string, string | null>): boolean =>
  Object.entries(set).every(([column, value]) => leaf[column] === value);

/** The announcements that are there. */
const brief = ({ body: _, ...announced }: Announced) =>
  Object.fromEntries(Object.entries(announced).filter(([, text]) => text !== null));

/** The measure whose amounts a trial lists for a cell: of a price, its value. */
const shownMeasure = (measure: string | null): string | null =>
  measure === PRICE ? 'amount' : measure;

const numberOf = ({ text }: { text: string }): number => Number(numbersIn(text)[0] ?? 0);

/** A price on screen with the decimals of an announced one. */
const pricedAs = (drawn: string, announced: string): string => {
  const places = /\.(\d+)$/.exec(announced)?.[1]?.length ?? 0;
  const off = Math.abs(Number(numbersIn(drawn)[0]) - Number(announced));
  const shownPlaces = /\.(\d+)$/.exec(drawn)?.[1]?.length ?? 0;
  return off <= 1.01 * 0.5 * 10 ** -Math.min(places, shownPlaces) + 1e-9 ? announced : drawn;
};

/** The cells that a block of texts is pasted into, with their amounts. */
function pastedInto(
  cells: readonly SeenCell[],
  start: Pressed,
  texts: readonly (readonly string[])[],
): Map<SeenCell, number> {
  const from = cells.find((cell) => cellKey(cell) === cellKey(start));
  const area = from ? pastedOver(cells, from, texts) : [];
  return new Map(area.map(([cell, text]) => [cell, Number(text.replace(/^\((.*)\)$/, '-$1'))]));
}

/** The cells of a block that are filled from its first column or row, with their amounts. */
function filledFrom(
  marked: readonly SeenCell[],
  direction: 'right' | 'down',
): Map<SeenCell, number> {
  const wanted = new Map<SeenCell, number>();
  const along = (cell: SeenCell) => (direction === 'down' ? cell.at.y : cell.at.x);
  const sameLine = (one: SeenCell, other: SeenCell) =>
    direction === 'down'
      ? one.at.x === other.at.x
      : one.at.y === other.at.y && one.measure === other.measure;
  for (const cell of marked) {
    const line = marked.filter((other) => sameLine(cell, other));
    const [first] = line.toSorted((a, b) => along(a) - along(b));
    if (first && first !== cell) wanted.set(cell, numberOf(first));
  }
  return wanted;
}
