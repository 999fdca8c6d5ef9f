/** The rows of tried changes, and the amounts that they add to a slice or a step. */
import type { GroupTotals, SlicePreview } from '../contract/previews';
import type { Slice } from '../contract/slices';
import { tidy, tidyChange } from '../pivot/values/cell-value';
import { admits } from '../pivot/slice/slice-values';
import { nextTask } from '../pivot/waiting';
import type { AnsweredRows } from '../pivot/rows/rows';

/** The names of the columns that hold the measures; undefined for a measure that the source lacks. */
interface MeasureColumns {
  value: string | undefined;
  units: string | undefined;
}

/** The amounts that one step adds to the plan. */
export interface Effect {
  rows: number;
  value: number;
  units: number;
  /** The amounts that it adds to some rows and takes from others, if they add up to 0. */
  moved: { value: number; units: number };
}

const ROLES = ['value', 'units'] as const;

/** Number of rows after which the page gets a turn. */
const ROWS_PER_TURN = 20_000;

const nothing = () => ({ row_count: 0, value_total: 0, units_total: 0 });
type Measured = ReturnType<typeof nothing>;
type Totals = Pick<SlicePreview, 'row_count' | 'value_total' | 'units_total'>;

/** The rows of all steps of a preview. */
export class TriedRows {
  constructor(
    readonly rows: Pick<AnsweredRows, 'count' | 'at' | 'columns' | 'logid'>,
    private readonly measures: MeasureColumns,
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
    const months = new Map<string, Measured>();
    await this.visit((y) => {
      if (!this.isIn(slice, y)) return;
      this.add(y, hold.some((each) => this.isIn(each, y)) ? held : free);
      const day = date === undefined ? null : this.rows.at(date, y);
      if (typeof day === 'string') this.add(y, monthIn(months, day));
    });
    return {
      ...stored,
      ...sum(sum(stored, free), held),
      held: { ...stored.held, ...sum(stored.held, held) },
      free: { ...stored.free, ...sum(stored.free, free) },
      ...(stored.groups && { groups: withMonths(stored.groups, months) }),
    };
  }

  /** Returns the effect of each step, by the `pf_logid` of its rows. */
  async effects(): Promise<ReadonlyMap<number, Effect>> {
    const effects = new Map<number, Effect>();
    const gross = new Map<number, { value: number; units: number }>();
    await this.visit((y) => {
      const logid = Number(this.rows.at('pf_logid', y));
      const effect = effects.get(logid) ?? none();
      const size = gross.get(logid) ?? { value: 0, units: 0 };
      effect.rows += 1;
      for (const role of ROLES) {
        const amount = this.amount(role, y);
        effect[role] += amount;
        size[role] += Math.abs(amount);
      }
      effects.set(logid, effect);
      gross.set(logid, size);
    });
    for (const [logid, effect] of effects) {
      for (const role of ROLES) {
        effect[role] = tidyChange(effect[role]);
        const size = gross.get(logid)?.[role] ?? 0;
        effect.moved[role] = effect[role] === 0 ? tidyChange(size / 2) : 0;
      }
    }
    return effects;
  }

  private async visit(visit: (y: number) => void): Promise<void> {
    for (let y = 0; y < this.rows.count; y++) {
      if (y > 0 && y % ROWS_PER_TURN === 0) await nextTask();
      visit(y);
    }
  }

  /** Checks whether a slice selects a row. Columns that the rows lack do not restrict it. */
  private isIn(slice: Slice, y: number): boolean {
    return Object.entries(slice).every(
      ([column, wanted]) =>
        !this.rows.columns.has(column) || admits(wanted, this.rows.at(column, y)),
    );
  }

  private add(y: number, to: Measured): void {
    to.row_count += 1;
    for (const role of ROLES) to[`${role}_total`] += this.amount(role, y);
  }

  private amount(role: 'value' | 'units', y: number): number {
    const column = this.measures[role];
    return Number((column === undefined ? null : this.rows.at(column, y)) ?? 0);
  }
}

const none = (): Effect => ({ rows: 0, value: 0, units: 0, moved: { value: 0, units: 0 } });

/** Returns the amounts of the month of a day. */
function monthIn(months: Map<string, Measured>, day: string): Measured {
  const first = day.replace(/\d\d$/, '01');
  const month = months.get(first) ?? nothing();
  months.set(first, month);
  return month;
}

/** Adds the amounts of months to groups, and groups for the months that have none. */
function withMonths(
  groups: readonly GroupTotals[],
  months: ReadonlyMap<string, Measured>,
): GroupTotals[] {
  const known = new Set(groups.map(({ group: [month] }) => month));
  const added = [...months.keys()].filter((month) => !known.has(month));
  return [
    ...groups,
    ...added.map((month) => ({ group: [month], value_total: 0, units_total: 0 })),
  ].map(({ group, ...totals }) => {
    const month = months.get(group[0] ?? '') ?? nothing();
    const { value_total, units_total } = sum({ row_count: 0, ...totals }, month);
    return { group, value_total, units_total };
  });
}

/** Adds amounts to totals; the total of a measure that the source lacks stays null. */
function sum(totals: Totals, added: Measured): Totals {
  const of = (role: 'value' | 'units') => {
    const total = totals[`${role}_total`];
    return total === null ? null : tidy(total + added[`${role}_total`]);
  };
  return {
    row_count: totals.row_count + added.row_count,
    value_total: of('value'),
    units_total: of('units'),
  };
}
