/** The page and the database of a visit, compared with each other. */
import type { Service } from '../../support/service';
import { Oracle } from '../oracle';
import { Broken, reasonOf, Refused } from '../outcome';
import type { HuntPage } from '../page';
import { cellKey, untilRight, wrongOnScreen } from '../screen';
import { storedTable } from '../version';
import type { Ground } from '../visit';
import type { Pressed, Seen, SeenCell } from '../watch';
import { amountText, Comparison, numbersIn, type Counts } from './compare';
import { AnnouncingPage, type Announced, type Sent } from './page';
import type { DrawnSlice } from './round';
import { Stored, type CellSums, type WrittenRow } from './stored';
import {
  PRICE,
  type AmountFormula,
  type AmountLayout,
  type AmountMeasure,
  type AmountTable,
} from './table';

/** Selected cells, and the rows behind them. */
export interface Selected {
  cells: Pressed[];
  /** The rows behind the cells as a condition. */
  where: string;
  before: CellSums;
  announced: Announced;
}

/** An entry that was written. */
export interface Entry {
  rows: WrittenRow[];
  after: CellSums;
  seen: Seen;
}

/** The state that the acts of a visit share: its page, its database, its announcements and its entries. */
export class Stage {
  readonly service: Service;
  readonly hunt: HuntPage;
  readonly page: AnnouncingPage;
  readonly table: AmountTable;
  readonly layout: AmountLayout;
  readonly version: number;
  readonly oracle: Oracle;
  readonly stored: Stored;
  readonly compare: Comparison;
  /** What the closed months lock. */
  readonly closed: readonly DrawnSlice[];
  locks: readonly DrawnSlice[];
  /** The events of the case, for the report of a failure. */
  readonly happened: unknown[] = [];
  /** The labels of the columns that were on screen. */
  readonly columnLabels = new Set<string>();

  constructor(
    { service, page, table, layout, version }: Ground<AmountTable, AmountLayout>,
    counts: Counts,
  ) {
    this.service = service;
    this.hunt = page;
    this.page = new AnnouncingPage(page);
    this.table = table;
    this.layout = layout;
    this.version = version;
    const name = storedTable(table, version);
    this.oracle = new Oracle(service.query, table, layout, name);
    this.stored = new Stored(service.query, table, name, version);
    this.compare = new Comparison(counts);
    this.closed = table.closed === undefined ? [] : [{ day: { to: table.closed } }];
    this.locks = this.closed;
  }

  measureNamed(name: string | undefined): AmountMeasure {
    const measure = this.table.measures.find((each) => each.name === name);
    if (!measure) throw new Broken(`${name} is no measure`);
    return measure;
  }

  /** The formula that a cell shows; undefined for another cell. */
  formulaIn({ measure }: Pick<Pressed, 'measure'>): AmountFormula | undefined {
    return this.table.formulas.find(({ name }) => name === measure);
  }

  /** Reads the entry that was written, and compares the whole screen with SQL. */
  async entryAfter({ where }: Selected, last: number): Promise<Entry> {
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
  async nothingWritten(last: number, reason: string | null): Promise<never> {
    await this.hunt.idle();
    if ((await this.stored.lastEntry()) !== last) {
      throw new Broken(`It was written although the page said: ${reason}`);
    }
    await this.compareScreen('after a refusal');
    if (reason === null) throw new Broken('Nothing was written, and the page did not say why');
    throw new Refused(reasonOf(reason));
  }

  /** The service does what the page has announced. */
  accepted({ status, error, body }: Sent, announced: Announced | null): void {
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
  async compareTotalsAfter(after: CellSums): Promise<void> {
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

  compareTotals(kind: string, announced: Announced, { rows, sums, held }: CellSums): void {
    const { compare } = this;
    if (announced.rows === null) return compare.silent(kind);
    for (const measure of this.table.measures) {
      const [total] = numbersIn(announced.totals[measure.name] ?? null);
      compare.amount(kind, measure, total, sums[measure.name] ?? 0);
    }
    compare.rows(kind, numbersIn(announced.rows)[0], rows);
    const [heldRows = '0', ...heldSums] = numbersIn(announced.held);
    compare.rows('panel: held', heldRows, held.rows);
    if (held.rows === 0) return;
    for (const [i, measure] of this.table.measures.entries()) {
      compare.amount('panel: held', measure, heldSums[i], held.sums[measure.name] ?? 0);
    }
  }

  /** Waits until every number on screen is that of SQL, in the decimals of its column. */
  async compareScreen(when: string): Promise<Seen> {
    const cells = (await this.oracle.cells()) ?? [];
    return untilRight(this.hunt, when, (seen) => {
      for (const { column } of seen.cells) for (const label of column) this.columnLabels.add(label);
      const amounts = seen.cells.filter(({ measure }) => measure !== PRICE);
      return (
        wrongOnScreen({ ...seen, cells: amounts }, cells, this.oracle, this.layout) ??
        this.wrongDecimals(amounts)
      );
    });
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

  compareEqual({ body }: Announced, rows: readonly WrittenRow[]): void {
    if (!body?.includes('"spread": "equal"')) return;
    for (const measure of this.table.measures) {
      const parts = rows.map(({ amounts }) => amounts[measure.name] ?? 0);
      const room = measure.decimals === null ? 0.0101 : 1.01 * 10 ** -measure.decimals;
      const spread = Math.max(...parts) - Math.min(...parts);
      this.compare.text('equal parts', 'equal', spread <= room ? 'equal' : `parts ${parts.join()}`);
    }
  }

  compareGross(kind: string, caution: string | null, rows: readonly WrittenRow[]): void {
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
}

/** The announcements that are there. */
const brief = ({ body: _, ...announced }: Announced) =>
  Object.fromEntries(Object.entries(announced).filter(([, text]) => text !== null));
