/** Applies the form of the panel, and compares its announcements with the written rows. */
import { Broken } from '../outcome';
import { numbersIn } from './compare';
import type { Announced, Sent } from './page';
import type { AnnouncedRound } from './round';
import type { Entry, Selected, Stage } from './stage';
import { sliceSql, type CellSums } from './stored';
import { unitsOf, type AmountMeasure } from './table';
import type { Trials } from './trials';
import { isAt, sumOf } from './written';

/** Applies the form, or tries it. */
export class FormActs {
  constructor(
    private readonly stage: Stage,
    private readonly trials: Trials,
  ) {}

  async applyForm(selected: Selected, round: AnnouncedRound): Promise<number | null> {
    const { act } = round;
    const { page, hunt } = this.stage;
    if (act.kind === 'form') await page.fillFields(act.fields);
    else if (act.kind === 'clone') {
      await hunt.fillFactor(act.factor);
      await hunt.fillSet(act.set);
    } else if (act.kind === 'recode') await hunt.fillSet(act.set);
    let announced = await page.settled();
    const gross = announced.caution;
    const isTried = round.tries !== 'no' && (announced.obstacle === null || gross !== null);
    if (gross !== null && !isTried && round.confirms) {
      await page.confirm();
      announced = await page.settled();
    }
    const last = await this.stage.stored.lastEntry();
    if (isTried) {
      const { sent, said } = await page.sending(() =>
        hunt.page.keyboard.press('Control+Shift+Enter'),
      );
      if (!sent) return this.stage.nothingWritten(last, said ?? announced.obstacle);
      this.compareBody(announced, sent);
      this.stage.accepted(sent, announced);
      const isKept = await this.trials.endTrial(selected, round, last, () =>
        this.compareForm(selected, round, announced, gross, last),
      );
      return isKept ? this.stage.stored.lastEntry() : null;
    }
    const { sent, said } = await page.sending(() => hunt.page.keyboard.press('Control+Enter'));
    if (announced.obstacle !== null) {
      if (sent) throw new Broken(`“${announced.obstacle}”, but it was sent`);
      return this.stage.nothingWritten(last, announced.obstacle);
    }
    if (!sent) return this.stage.nothingWritten(last, said);
    this.compareBody(announced, sent);
    this.stage.accepted(sent, announced);
    await this.compareForm(selected, round, announced, gross, last);
    return this.stage.stored.lastEntry();
  }

  private compareBody({ body }: Announced, sent: Sent): void {
    const announced = JSON.parse(body?.replace(/^POST \S+\s/, '') ?? 'null') as object;
    this.stage.compare.text('panel: body', JSON.stringify(announced), JSON.stringify(sent.body));
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
    const { compare } = this.stage;
    const entry = await this.stage.entryAfter(selected, last);
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
    for (const measure of this.stage.table.measures) {
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
      this.compareComputed(announced, before, entry);
      this.comparePrice(announced, entry.after);
      if (announced.remainder) {
        const units = unitsOf(this.stage.table) as AmountMeasure;
        const delta = sumOf(entry.rows, units.name);
        compare.amount('form: units instead of', units, numbersIn(announced.remainder)[0], delta);
      }
      if (announced.spread === 'equal') this.stage.compareEqual(announced, entry.rows);
      this.stage.compareGross('form: caution', gross, entry.rows);
    }
    await this.stage.compareTotalsAfter(entry.after);
  }

  /** Number of rows behind the cells, before an entry, that did not have the values of a recode yet. */
  private async movedRows(
    { where }: Selected,
    set: Record<string, string | null>,
    last: number,
  ): Promise<number> {
    const moved = `(${where}) AND pf_logid <= ${last} AND NOT ${sliceSql(set)}`;
    return (await this.stage.stored.sums(moved, [])).rows;
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
    if (total) this.stage.compare.amount('form: new total', measure, numbersIn(total)[0], after);
    if (change) {
      this.stage.compare.amount('form: change', measure, numbersIn(change)[0], after - before);
    }
    if (percent && before !== 0) {
      const share = ((after - before) / before) * 100;
      this.stage.compare.percent('form: percent', name, numbersIn(percent)[0], share, 2);
    }
  }

  private compareComputed({ computed }: Announced, before: CellSums, { after, rows }: Entry): void {
    for (const measure of this.stage.table.measures) {
      const { name, role } = measure;
      const key = role === 'measure' ? `measures.${name}.incr` : `${role}_incr`;
      const text = new RegExp(`${key}: (\\S+?)(,|$)`).exec(computed ?? '')?.[1];
      if (text === undefined) continue;
      const delta = (after.sums[measure.name] ?? 0) - (before.sums[measure.name] ?? 0);
      const gross = rows.reduce((sum, { amounts }) => sum + Math.abs(amounts[name] ?? 0), 0);
      const shown = String(Number(text));
      this.stage.compare.amount('form: computed amount', measure, shown, delta, gross);
    }
  }

  private comparePrice({ price }: Announced, { sums }: CellSums): void {
    const [value, units] = [this.stage.table.measures[0], unitsOf(this.stage.table)].map(
      (measure) => measure && (sums[measure.name] ?? 0),
    );
    const announced = numbersIn(price).at(-1);
    // Fewer units are the rounding error of a floating-point column, and have no price.
    const hasPrice = Math.abs(units ?? 0) > 1e-9;
    if (hasPrice && units && value !== undefined && announced !== undefined) {
      this.stage.compare.price('form: price', announced, value / units);
    }
  }
}
