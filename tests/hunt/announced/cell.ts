/** Types amounts into a cell, and reads the announcements of the field over it. */
import { Broken } from '../outcome';
import { cellKey } from '../screen';
import type { Pressed } from '../watch';
import { numbersIn } from './compare';
import type { Announced, Sent } from './page';
import type { AnnouncedRound } from './round';
import type { Selected, Stage } from './stage';
import type { CellSums } from './stored';
import { PRICE, unitsOf, type AmountFormula, type AmountMeasure } from './table';
import type { Trials } from './trials';
import { expectedOf } from './typed';
import { pricedAs } from './written';

/** Types into a cell. */
export class CellActs {
  constructor(
    private readonly stage: Stage,
    private readonly trials: Trials,
  ) {}

  async typeIntoCell(
    selected: Selected,
    round: AnnouncedRound,
    text: string,
  ): Promise<number | null> {
    const { page, hunt } = this.stage;
    const { keyboard } = hunt.page;
    await hunt.focusGrid();
    const last = await this.stage.stored.lastEntry();
    let announced = await this.typeOver(selected, text);
    if (round.lastWay && (announced.editor?.ways ?? 0) > 1) {
      await keyboard.press('ArrowUp');
      announced = await this.editor();
    }
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
      this.stage.accepted(sent, announced);
      const isKept = await this.trials.endTrial(
        selected,
        round,
        last,
        () => this.compareTyped(selected, announced, sent, last, text),
        { hasTotals: !isModelled },
      );
      return isKept ? this.stage.stored.lastEntry() : null;
    }
    if (editor.caution) {
      await keyboard.press('Enter');
      const asked = await page.settled();
      if (!asked.editor?.caution?.includes('Press Enter again')) {
        throw new Broken(`One Enter was enough after “${editor.caution}”`);
      }
      if (!round.confirms) {
        await keyboard.press('Escape');
        return this.stage.nothingWritten(last, 'a caution was not confirmed');
      }
    }
    const { sent, said } = await page.sending(() => keyboard.press('Enter'));
    if (!sent) return this.announcedOnly(editor.meaning, said, last);
    this.stage.accepted(sent, announced);
    await this.compareTyped(selected, announced, sent, last, text);
    return this.stage.stored.lastEntry();
  }

  /**
   * Types a text over the selected cell. Only its first key where the page must refuse: another one would close
   * the reason.
   */
  async typeOver({ cells, before }: Selected, text: string): Promise<Announced> {
    const cell = cells.at(-1) as Pressed;
    const isLocked = before.rows > 0 && before.held.rows === before.rows;
    const hasNoPrice = cell.measure === PRICE && (cell.text === '' || cell.text === '-');
    const { keyboard } = this.stage.hunt.page;
    if (!isLocked && !hasNoPrice && before.rows > 0) await keyboard.type(text);
    else {
      await keyboard.type(text.slice(0, 1));
      const announced = await this.editor();
      // An empty cell may be locked, too.
      if (isLocked || hasNoPrice || announced.editor?.isOpen === false) return announced;
      await keyboard.type(text.slice(1));
    }
    return this.editor();
  }

  /** The announcements once the field over the cell says what the amount means. */
  private async editor(): Promise<Announced> {
    const deadline = Date.now() + 3_000;
    for (;;) {
      const announced = await this.stage.page.settled();
      const { editor } = announced;
      const isSaid = editor !== null && (editor.meaning ?? '') !== '';
      if (isSaid || Date.now() > deadline) return announced;
    }
  }

  /** Nothing was sent although the field announced a change; right only if the change is none. */
  private async announcedOnly(meaning: string, said: string | null, last: number): Promise<null> {
    const [now, total] = numbersIn(meaning);
    if (now !== total) throw new Broken(`Announced “${meaning}”; nothing was written: ${said}`);
    return this.stage.nothingWritten(last, said);
  }

  /** Enters an amount that the page says cannot be written. */
  async refuseTyped({ editor }: Announced, last: number, isEmpty: boolean): Promise<null> {
    const { keyboard } = this.stage.hunt.page;
    const reason = isEmpty ? 'nothing to copy' : (editor?.meaning ?? 'nothing was announced');
    if (editor === null) throw new Broken('No field opened over the cell');
    if (editor.meaning === null || editor.meaning === '') {
      throw new Broken('The field over the cell says nothing of the amount');
    }
    const isReadable = editor.isOpen && !/^Not an amount|more digits/.test(editor.meaning);
    if (isReadable) {
      const { sent } = await this.stage.page.sending(() => keyboard.press('Enter'));
      if (sent) throw new Broken(`“${editor.meaning}”, but it was sent`);
    } else if (editor.isOpen) await keyboard.press('Enter');
    await keyboard.press('Escape');
    return this.stage.nothingWritten(last, reason);
  }

  /** Compares the announced total of the rows that are copied into an empty cell. */
  private async compareModel(
    { cells }: Selected,
    model: [name: string, total: string] | undefined,
  ): Promise<void> {
    const [cell] = cells as [Pressed];
    const measure = this.stage.table.measures.find(({ name }) => name === cell.measure);
    if (!model || !measure) return;
    const [name, total] = model;
    const parent = cell.row.slice(0, -1);
    const isParent = name === (parent.at(-1) ?? 'all rows');
    const [row, column] =
      name === 'all of this row'
        ? [cell.row, []]
        : isParent && !this.stage.columnLabels.has(name)
          ? [parent, cell.column]
          : [cell.row, [name]];
    const [meaning] = await this.stage.oracle.find(row, column);
    const where = meaning && this.stage.oracle.behind([meaning]);
    if (!where) throw new Broken(`No rows are named ${name}`);
    const { sums } = await this.stage.stored.sums(where, []);
    this.stage.compare.amount('cell: model', measure, numbersIn(total)[0], sums[measure.name] ?? 0);
  }

  private async compareTyped(
    selected: Selected,
    { editor }: Announced,
    sent: Sent,
    last: number,
    text: string,
  ): Promise<void> {
    const { compare } = this.stage;
    const { before, cells } = selected;
    const [cell] = cells as [Pressed];
    const entry = await this.stage.entryAfter(selected, last);
    const [now, total, percent] = numbersIn(editor?.meaning ?? null);
    const drawn = entry.seen.cells.find((each) => cellKey(each) === cellKey(cell));
    const formula = this.stage.formulaIn(cell);
    if (formula) {
      this.compareResult(formula, before, entry.after, editor?.meaning ?? '', text);
      const [, shown = ''] = / → (\S+)/.exec(editor?.meaning ?? '') ?? [];
      if (drawn) compare.text('result: on screen', shown, pricedAs(drawn.text, shown));
      return;
    }
    if (cell.measure === PRICE) {
      const [value, units] = this.priced;
      const price = ({ sums }: CellSums) => (sums[value.name] ?? 0) / (sums[units.name] ?? 0);
      compare.price('price: now', now, price(before));
      compare.price('price: total', total, price(entry.after));
      if (drawn) compare.text('price: on screen', total ?? '', pricedAs(drawn.text, total ?? ''));
      return;
    }
    const measure = this.stage.table.measures.find(
      ({ name }) => name === cell.measure,
    ) as AmountMeasure;
    const was = before.sums[measure.name] ?? 0;
    const is = entry.after.sums[measure.name] ?? 0;
    compare.amount('cell: now', measure, now, was);
    compare.amount('cell: total', measure, total, is);
    if (drawn) compare.amount('cell: on screen', measure, numbersIn(drawn.text)[0] ?? '0', is);
    if (percent !== undefined && was !== 0 && !/[%*/]/.test(text)) {
      compare.percent('cell: percent', measure.name, percent, ((is - was) / was) * 100, 1);
    }
    if (/in equal parts/.test(editor?.meaning ?? '')) {
      this.stage.compareEqual({ body: '"spread": "equal"' } as Announced, entry.rows);
    }
    this.stage.compareGross('cell: caution', editor?.caution ?? null, entry.rows);
    if (editor?.spread === 'held' && sent.path.endsWith('/scale'))
      this.compareHeld(before, entry.after);
  }

  /** The value and the units of the table, which has both. */
  private get priced(): [AmountMeasure, AmountMeasure] {
    const { table } = this.stage;
    return [table.measures[0], unitsOf(table)] as [AmountMeasure, AmountMeasure];
  }

  /** Compares the result of a formula and the measure that gives it with the sums before and after. */
  private compareResult(
    formula: AmountFormula,
    before: CellSums,
    after: CellSums,
    meaning: string,
    text: string,
  ): void {
    const { compare, table } = this.stage;
    const found = /^(\S+) → (\S+)(?: \(.+ %\))? (\S+) (\S+) → (\S+)/.exec(meaning);
    const [, now, total, name, from, to] = found ?? [];
    const measure = this.stage.measureNamed(name);
    const plain = (number = '') => numbersIn(number)[0];
    const was = formula.of(before.sums);
    if (Number.isFinite(was)) compare.price('result: now', plain(now), was);
    compare.price('result: total', plain(total), formula.of(after.sums));
    compare.amount('result: measure now', measure, plain(from), before.sums[measure.name] ?? 0);
    compare.amount('result: measure total', measure, plain(to), after.sums[measure.name] ?? 0);
    for (const other of table.measures) {
      if (other === measure) continue;
      const stays = Math.abs((after.sums[other.name] ?? 0) - (before.sums[other.name] ?? 0)) < 1e-9;
      compare.text('result: other measures', other.name, stays ? other.name : 'another amount');
    }
    const wanted = expectedOf(text, was);
    if (wanted === undefined || !Number.isFinite(wanted)) return compare.silent('typed result');
    // A percentage is rounded in each row, an amount once.
    const unit = 10 ** -(measure.decimals ?? 2) * (text.endsWith('%') ? before.rows + 1 : 1.01);
    const ends = [-unit, unit].map((by) =>
      formula.of({ ...after.sums, [measure.name]: (after.sums[measure.name] ?? 0) + by }),
    );
    const isNear =
      wanted >= Math.min(...ends) - Math.abs(wanted) * 1e-9 &&
      wanted <= Math.max(...ends) + Math.abs(wanted) * 1e-9;
    compare.text('result: typed', `${wanted}`, isNear ? `${wanted}` : `${formula.of(after.sums)}`);
  }

  /** A held price moves value and units by the same share, to one unit of each column. */
  private compareHeld(before: CellSums, after: CellSums): void {
    const [value, units] = this.priced;
    const [v, u] = [value, units].map(({ name }) => before.sums[name] ?? 0) as [number, number];
    const [dv, du] = [value, units].map(
      ({ name }) => (after.sums[name] ?? 0) - (before.sums[name] ?? 0),
    ) as [number, number];
    if (v === 0 || u === 0 || before.held.rows > 0) return;
    const unit = (measure: AmountMeasure) => 10 ** -(measure.decimals ?? 2);
    const room = unit(units) + Math.abs(u / v) * unit(value);
    const isSame = Math.abs(du - (dv * u) / v) <= room;
    this.stage.compare.text(
      'cell: held price',
      'held',
      isSame ? 'held' : `${dv} of ${v}, ${du} of ${u}`,
    );
  }
}
