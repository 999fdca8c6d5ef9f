/** Compares what a trial shows with the plan before and after it. */
import { Broken } from '../outcome';
import { cellKey, columnKey } from '../screen';
import type { Pressed, SeenCell } from '../watch';
import { numbersIn } from './compare';
import type { AnnouncedRound } from './round';
import type { Selected, Stage } from './stage';
import type { WrittenRow } from './stored';
import type { AmountMeasure } from './table';
import { byLeaf } from './written';

/** Changes that are tried before they are kept or discarded. */
export class Trials {
  constructor(private readonly stage: Stage) {}

  /**
   * Compares a trial with the plan before it, keeps or discards it, and compares it with the plan after it.
   *
   * @param compareEntry compares the announcements before the trial with the entry
   * @returns whether it was kept
   */
  async endTrial(
    selected: Selected,
    { tries }: AnnouncedRound,
    last: number,
    compareEntry: () => Promise<void>,
    { hasTotals = true } = {},
  ): Promise<boolean> {
    const { page, hunt, compare } = this.stage;
    await hunt.page.locator('section.trial').waitFor({ timeout: 20_000 });
    await hunt.idle();
    const { trial } = await page.settled();
    if (!trial) throw new Broken('The page shows no trial');
    if ((await this.stage.stored.lastEntry()) !== last) throw new Broken('The trial was written');
    const tried = await hunt.look();
    const { before } = selected;
    if (hasTotals) {
      for (const [name, text] of trial.totals) {
        const measure = this.stage.measureNamed(name);
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
      await this.stage.compareScreen('after a trial was discarded');
      if ((await this.stage.stored.lastEntry()) !== last) throw new Broken('The trial was written');
      return false;
    }
    const { sent, said } = await page.sending(() => hunt.page.keyboard.press('Control+Enter'));
    if (!sent) throw new Broken(`The trial was not kept: ${said}`);
    this.stage.accepted(sent, null);
    await compareEntry();
    const { rows, after, seen } = await this.stage.entryAfter(selected, last);
    const more = /: ([\d,]+) new rows?/.exec(trial.text)?.[1]?.replaceAll(',', '');
    compare.rows('trial: rows', more, this.stage.stored.countAtGrain(rows));
    if (hasTotals) {
      for (const [name, text] of trial.totals) {
        const measure = this.stage.measureNamed(name);
        compare.amount('trial: total', measure, numbersIn(text).at(-1), after.sums[name] ?? 0);
      }
    }
    for (const { heading, leaves } of trial.biggest) {
      const measure = this.stage.measureNamed(/^Biggest changes of (.+)$/.exec(heading)?.[1]);
      this.compareBiggest(measure, leaves, rows);
    }
    const now = new Map(seen.cells.map((cell) => [cellKey(cell), cell.text]));
    for (const cell of tried.cells) {
      compare.text('trial: cell on screen', cell.text, now.get(cellKey(cell)) ?? cell.text);
    }
    const lastCell = selected.cells.at(-1) as Pressed;
    for (const [name, text] of trial.onScreen) {
      const measure = this.stage.measureNamed(
        /^Totals of (.+) on screen$/.exec(trial.heading)?.[1],
      );
      const isNamed = ({ row }: SeenCell) => row.join(', ') === (name === 'Total' ? '' : name);
      const cell = seen.cells
        .filter((each) => columnKey({ ...lastCell, measure: measure.name }) === columnKey(each))
        .find(isNamed)?.text;
      if (cell === undefined) continue;
      compare.amount(
        'trial: total on screen',
        measure,
        numbersIn(text).at(-1),
        Number(numbersIn(cell)[0] ?? 0),
      );
    }
    return true;
  }

  private compareBiggest(
    measure: AmountMeasure,
    leaves: readonly [string, string][],
    rows: readonly WrittenRow[],
  ): void {
    const rest = byLeaf(rows);
    for (const [leaf, text] of leaves) {
      const [number = ''] = numbersIn(text);
      const room = measure.decimals === null ? 0.0051 : 0.1 * 10 ** -measure.decimals;
      const found = rest.findIndex(
        ({ amounts }) => Math.abs((amounts[measure.name] ?? 0) - Number(number)) <= room,
      );
      if (found >= 0) rest.splice(found, 1);
      this.stage.compare.text(
        'trial: biggest change',
        leaf,
        found >= 0 ? leaf : `no row of ${text}`,
      );
    }
  }
}
