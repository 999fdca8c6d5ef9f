/** Amounts typed, pasted or filled into several cells. */
import { pointAt } from '../aiming';
import { cellKey } from '../screen';
import type { Pressed, SeenCell } from '../watch';
import { cornersOf, pastedOver } from './aiming';
import type { CellActs } from './cell';
import { amountText, numbersIn } from './compare';
import type { AnnouncedRound } from './round';
import type { Selected, Stage } from './stage';
import { PRICE, type AmountMeasure } from './table';
import { expectedOf } from './typed';
import { pricedAs } from './written';

/** Changes blocks of cells. */
export class BlockActs {
  constructor(
    private readonly stage: Stage,
    private readonly cells: CellActs,
  ) {}

  async typeIntoBlock(selected: Selected, round: AnnouncedRound): Promise<number | null> {
    const { page, hunt } = this.stage;
    const { act } = round;
    const { keyboard, mouse } = hunt.page;
    const [start] = selected.cells as [Pressed];
    let marked: SeenCell[] = [];
    if (act.kind === 'block' || act.kind === 'fill') {
      const screen = await hunt.look();
      const from = screen.cells.find((cell) => cellKey(cell) === cellKey(start));
      const formulas = this.stage.table.formulas.map(({ name }) => name);
      const corners = round.fits && from ? cornersOf(round, act, from, screen.cells, formulas) : [];
      const cells = corners.length > 0 ? corners : screen.cells;
      const { x, y } = pointAt({ ...screen, cells }, act.corner, this.stage.layout);
      await hunt.selecting(async () => {
        await keyboard.down('Shift');
        await mouse.click(x, y);
        await keyboard.up('Shift');
      });
      await hunt.frames();
      marked = (await hunt.look()).cells.filter((cell) => cell.marked);
    }
    await hunt.focusGrid();
    const last = await this.stage.stored.lastEntry();
    if (act.kind === 'block') {
      const announced = await this.cells.typeOver(selected, act.text);
      const { editor } = announced;
      if (!editor?.isOpen || !editor.meaning?.includes('→')) {
        return this.cells.refuseTyped(announced, last, editor?.models?.length === 0);
      }
      const { sent, said } = await page.sending(() => keyboard.press('Control+Enter'));
      if (!sent) {
        await keyboard.press('Escape');
        await keyboard.press('Escape');
        return this.stage.nothingWritten(last, said);
      }
      this.stage.accepted(sent, announced);
      const isFree = !round.holdPrice && this.stage.locks.length === 0;
      await this.compareBlock(selected, last, marked, (cell) =>
        isFree ? expectedOf(act.text, numberOf(cell)) : undefined,
      );
      if (marked.length < 2) return this.stage.stored.lastEntry();
      const active = marked.find((cell) => cellKey(cell) === cellKey(start));
      if (active) await this.compareActive(active, editor.meaning);
      return this.stage.stored.lastEntry();
    }
    const grid = await hunt.look();
    const { sent, said } = await page.sending(() =>
      act.kind === 'paste'
        ? page.paste(act.texts.map((line) => line.join('\t')).join('\n'))
        : keyboard.press(
            act.kind === 'fill' && act.direction === 'down' ? 'Control+d' : 'Control+r',
          ),
    );
    if (!sent) return this.stage.nothingWritten(last, said);
    this.stage.accepted(sent, null);
    const wanted =
      act.kind === 'paste'
        ? pastedInto(grid.cells, start, act.texts)
        : filledFrom(marked, act.kind === 'fill' ? act.direction : 'down');
    await this.compareBlock(selected, last, [...wanted.keys()], (cell) => wanted.get(cell));
    return this.stage.stored.lastEntry();
  }

  /** The announced amount of the cell that was typed into, beside others, is on screen then. */
  private async compareActive(active: SeenCell, meaning: string): Promise<void> {
    const [, shown = ''] = / → (\S+)/.exec(meaning) ?? [];
    const [total] = numbersIn(shown);
    const seen = await this.stage.hunt.look();
    const drawn = seen.cells.find((cell) => cellKey(cell) === cellKey(active));
    if (!drawn) return;
    if (active.measure === PRICE || this.stage.formulaIn(active)) {
      this.stage.compare.text('block: price', total ?? '', pricedAs(drawn.text, total ?? ''));
      return;
    }
    const measure = this.stage.table.measures.find(
      ({ name }) => name === active.measure,
    ) as AmountMeasure;
    this.stage.compare.amount(
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
    const entry = await this.stage.entryAfter(selected, last);
    const drawn = new Map(entry.seen.cells.map((cell) => [cellKey(cell), cell.text]));
    for (const cell of cells) {
      const amount = wanted(cell);
      const text = drawn.get(cellKey(cell));
      const measure = this.stage.table.measures.find(({ name }) => name === cell.measure);
      if (amount === undefined || text === undefined || !measure) {
        this.stage.compare.silent('cell of a block');
        continue;
      }
      const places = measure.decimals ?? 2;
      const isSame = Math.abs(Number(numbersIn(text)[0] ?? 0) - amount) <= 0.51 * 10 ** -places;
      this.stage.compare.text(
        'block: cell',
        amountText(amount, places),
        isSame ? amountText(amount, places) : `${text} in ${cellKey(cell)}`,
      );
    }
  }
}

const numberOf = ({ text }: { text: string }): number => Number(numbersIn(text)[0] ?? 0);

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
