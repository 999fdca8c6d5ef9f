/** The rows of tried or written changes, and the amounts that they add to a slice or a step. */
import { firstDayOf, monthOf } from '../../contract/calendar';
import type { GroupTotals, SlicePreview } from '../../contract/previews';
import type { Totals } from '../../contract/primitives';
import type { Slice } from '../../contract/slices';
import { tidy, tidyChange } from '../../pivot/values/cell-value';
import { admits } from '../../pivot/slice/slice-values';
import type { ByMeasure } from '../../contract/columns';
import { byKey, keysIn, totalOf, totalsBy } from '../../contract/measures';
import { nextTask } from '../../pivot/waiting';
import type { ArrowColumns } from '../../pivot/rows/arrow-columns';
import { Attributes } from '../../pivot/rows/attributes';
import { type AnsweredRows, valueIn } from '../../pivot/rows/rows';

/** The amounts that one step adds to the plan. */
export interface Effect {
  rows: number;
  amounts: ByMeasure<number>;
  /** The amounts that it adds to some rows and takes from others, if they add up to 0. */
  moved: ByMeasure<number>;
}

/** Number of rows after which the page gets a turn. */
const ROWS_PER_TURN = 20_000;

/** Added-up rows: their number, their amounts by measure, and their conversions. */
interface Added {
  rows: number;
  amounts: Map<string, number>;
  conversions: Map<string, { total: number; missing: number }>;
}
const nothing = (): Added => ({ rows: 0, amounts: new Map(), conversions: new Map() });

/** The rows of all steps of a preview. */
export class TriedRows {
  /** The columns with the attributes; null until they are needed, because the attributes of new keys are read meanwhile. */
  private extended: ArrowColumns | null = null;

  constructor(
    readonly rows: Pick<AnsweredRows, 'count' | 'at' | 'columns' | 'logid'>,
    /** The columns of the measures. */
    private readonly measures: ByMeasure<string>,
    /** The attributes by which slices may select the rows. */
    private readonly attributes = Attributes.NONE,
  ) {}

  /**
   * Returns the stored totals of a slice with the tried rows added.
   *
   * @param hold slices whose rows count as held
   * @param date the date column whose months group the stored totals
   */
  async addTo(
    stored: SlicePreview,
    slice: Slice,
    hold: readonly Slice[] = [],
    date?: string,
  ): Promise<SlicePreview> {
    const [free, held] = [nothing(), nothing()];
    const months = new Map<string, Added>();
    await this.visit((y) => {
      if (!this.isIn(slice, y)) return;
      const isHeld = hold.some((each) => this.isIn(each, y));
      this.add(y, isHeld ? held : free);
      if (stored.conversions) this.convert(y, isHeld ? held : free);
      const day = date === undefined ? null : this.rows.at(date, y);
      if (typeof day === 'string') this.add(y, inMap(months, firstDayOf(monthOf(day))));
    });
    return {
      ...stored,
      ...sum(sum(stored, free), held),
      ...withConversions(withConversions(stored, free), held),
      held: { ...stored.held, ...sum(stored.held, held) },
      free: { ...stored.free, ...sum(stored.free, free), ...withConversions(stored.free, free) },
      ...(stored.groups && { groups: withMonths(stored.groups, months) }),
    };
  }

  /** Returns the effect of each step, by the `pf_logid` of its rows. */
  async effects(): Promise<ReadonlyMap<number, Effect>> {
    const sums = new Map<number, Added>();
    const gross = new Map<number, Added>();
    await this.visit((y) => {
      const logid = Number(this.rows.at('pf_logid', y));
      this.add(y, inMap(sums, logid));
      this.add(y, inMap(gross, logid), Math.abs);
    });
    const keys = Object.keys(this.measures);
    const effects = [...sums].map(([logid, { rows, amounts }]): [number, Effect] => {
      const amount = (key: string) => tidyChange(amounts.get(key) ?? 0);
      const half = (key: string) => tidyChange((gross.get(logid)?.amounts.get(key) ?? 0) / 2);
      const moved = (key: string) => (amount(key) === 0 ? half(key) : 0);
      return [logid, { rows, amounts: byKey(keys, amount), moved: byKey(keys, moved) }];
    });
    return new Map(effects);
  }

  private async visit(visit: (y: number) => void): Promise<void> {
    for (let y = 0; y < this.rows.count; y++) {
      if (y > 0 && y % ROWS_PER_TURN === 0) await nextTask();
      visit(y);
    }
  }

  /** Checks whether a slice selects a row. Columns that the rows lack do not restrict it. */
  private isIn(slice: Slice, y: number): boolean {
    const { rows, attributes } = this;
    return Object.entries(slice).every(([column, wanted]) => {
      if (rows.columns.has(column)) return admits(wanted, rows.at(column, y));
      if (!attributes.has(column)) return true;
      return admits(wanted, valueIn(this.withAdded, column, y));
    });
  }

  private get withAdded(): ArrowColumns {
    this.extended ??= this.attributes.extend(this.rows.columns);
    return this.extended;
  }

  /** Adds the conversions of a row. */
  private convert(y: number, { conversions }: Added): void {
    for (const { name, measure } of this.attributes.conversions) {
      const { total, missing } = conversions.get(name) ?? { total: 0, missing: 0 };
      const result = valueIn(this.withAdded, name, y);
      const isMissing = result === null && this.rows.at(measure, y) !== null;
      conversions.set(name, {
        total: total + Number(result ?? 0),
        missing: missing + (isMissing ? 1 : 0),
      });
    }
  }

  private add(y: number, to: Added, as: (amount: number) => number = (amount) => amount): void {
    to.rows += 1;
    for (const [key, column] of Object.entries(this.measures)) {
      const amount = Number(this.rows.at(column, y) ?? 0);
      to.amounts.set(key, (to.amounts.get(key) ?? 0) + as(amount));
    }
  }
}

/** Returns what a map has for a key; nothing yet if it is new. */
function inMap<Key>(map: Map<Key, Added>, key: Key): Added {
  const found = map.get(key) ?? nothing();
  map.set(key, found);
  return found;
}

/** Adds the amounts of months to groups, and groups for the months that have none. */
function withMonths(
  groups: readonly GroupTotals[],
  months: ReadonlyMap<string, Added>,
): GroupTotals[] {
  const known = new Set(groups.map(({ group: [month] }) => month));
  const added = [...months.keys()].filter((month) => !known.has(month));
  const none = { value_total: 0, units_total: 0 };
  return [...groups, ...added.map((month): GroupTotals => ({ group: [month], ...none }))].map(
    ({ group, ...totals }) => {
      const month = months.get(group[0] ?? '') ?? nothing();
      const { row_count: _, ...summed } = sum({ row_count: 0, ...totals }, month);
      return { group, ...summed };
    },
  );
}

/** Adds conversions to those of other rows. */
function withConversions(
  { conversions: stored }: Pick<SlicePreview, 'conversions'>,
  { conversions }: Added,
): Pick<SlicePreview, 'conversions'> {
  if (!stored) return {};
  const all = Object.entries(stored).map(([name, { total, missing }]) => {
    const added = conversions.get(name) ?? { total: 0, missing: 0 };
    return [name, { total: tidy(total + added.total), missing: missing + added.missing }] as const;
  });
  return { conversions: Object.fromEntries(all) };
}

/** Adds amounts to totals; the total of a measure that the source lacks stays null. */
function sum(totals: Totals, { rows, amounts }: Added): Totals {
  const of = (key: string) => tidy((totalOf(totals, key) ?? 0) + (amounts.get(key) ?? 0));
  return { row_count: totals.row_count + rows, ...totalsBy(keysIn(totals), of) };
}
