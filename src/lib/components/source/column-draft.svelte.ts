/** Columns of a source while they are edited, and their saving. */
import { SvelteMap } from 'svelte/reactivity';
import { ApiError } from '$lib/client/http';
import { messageOf } from '$lib/client/message-of';
import { distinct } from '../distinct';
import type { DatePair } from './period-choices';
import { isLeaf, type ColumnEntry, type ColumnSave, type Role } from '$lib/contract/columns';

/** The fields of a column that its grid row edits. */
export type ColumnField = Exclude<keyof ColumnEntry, 'cname' | 'type' | 'base_type' | 'opos'>;

export type DraftColumn = Omit<ColumnEntry, 'opos'>;

/** Why the service refused a save, and the cell that it named, if any. */
type SaveRefusal = { message: string; cname: string | null; field: string | null };

/** A date from which dimensions can be derived. */
interface FollowedDate {
  /** The group shared by the date and its dimensions. */
  group: string;
  /** The date's column; null if no date has the group. */
  cname: string | null;
  label: string;
}

const FIELDS = [
  'label',
  'role',
  'is_key',
  'dim_group',
  'dim_period_col',
  'in_grain',
  'time_zone',
] as const;

/**
 * Returns whether a role has a field: a key and a period column belong to dimensions, the grain to dimensions
 * and dates.
 */
export const allows = (role: Role, field: ColumnField): boolean => {
  if (field === 'is_key' || field === 'dim_period_col') return role === 'dimension';
  if (field === 'time_zone') return role === 'date';
  if (field === 'in_grain' || field === 'dim_group') return isLeaf(role);
  return true;
};

/** Returns whether the day of a date depends on a time zone. */
export const hasZone = ({ role, type }: Pick<ColumnEntry, 'role' | 'type'>): boolean =>
  role === 'date' && /^timestamp.* with time zone$/.test(type ?? '');

/** The column metadata of a source while it is edited: stored rows, edited rows, and the last refusal. */
export class ColumnDraft {
  private stored = $state.raw<readonly ColumnEntry[]>([]);
  rows = $state<DraftColumn[]>([]);
  refusal = $state.raw<SaveRefusal | null>(null);
  /** Suggested roles that were applied, by column. */
  readonly suggested = new SvelteMap<string, Role>();

  readonly changes: ColumnSave[] = $derived.by(() => this.changedColumns());
  readonly dirty: boolean = $derived(this.changes.length > 0);
  /** The dates from which a dimension can be derived, by their groups; also groups without a date. */
  readonly dates: readonly FollowedDate[] = $derived.by(() => this.followedDates());
  /**
   * The columns of the display grain, in its order
   * (docs/contract/02-resources-and-their-fields.md#display-grain).
   */
  readonly grain: DraftColumn[] = $derived(
    this.rows.filter((row) => row.in_grain && allows(row.role, 'in_grain')),
  );

  constructor(stored: readonly ColumnEntry[]) {
    this.accept(stored);
  }

  /** Makes the stored rows the new starting point. */
  accept(stored: readonly ColumnEntry[]): void {
    this.stored = stored;
    this.discard();
  }

  /** Restores the stored rows. */
  discard(): void {
    this.rows = this.stored.map(({ opos: _, ...row }) => ({ ...row }));
    this.refusal = null;
    this.suggested.clear();
  }

  isChanged(cname: string, field: ColumnField): boolean {
    const stored = this.stored.find((column) => column.cname === cname);
    const row = this.rows.find((column) => column.cname === cname);
    return stored !== undefined && row !== undefined && stored[field] !== row[field];
  }

  /** Sets a field, and clears the fields that the role does not allow. */
  set<F extends ColumnField>(row: DraftColumn, field: F, value: DraftColumn[F]): void {
    row[field] = value;
    if (this.refusal?.cname === row.cname) this.refusal = null;
    if (field !== 'role') return;
    this.suggested.delete(row.cname);
    if (!allows(row.role, 'is_key')) row.is_key = false;
    if (!allows(row.role, 'in_grain')) row.in_grain = false;
    if (!allows(row.role, 'dim_group')) row.dim_group = null;
    if (!allows(row.role, 'dim_period_col')) row.dim_period_col = null;
    if (!allows(row.role, 'time_zone')) delete row.time_zone;
  }

  /** Returns the dimensions that are derived from a date. */
  followers({ cname, dim_group }: DraftColumn): DraftColumn[] {
    if (dim_group === null) return [];
    return this.rows.filter((row) => row.cname !== cname && row.dim_group === dim_group);
  }

  /** Returns whether a load copies the dimension although it may move the date of the dimension. */
  isCopied({ role, dim_group, dim_period_col }: DraftColumn): boolean {
    const follows = this.dates.some(({ group, cname }) => group === dim_group && cname !== null);
    return role === 'dimension' && dim_period_col === null && follows && dim_group !== null;
  }

  /** Derives a dimension from a date by its group; null detaches it from dates and from the calendar. */
  follow(row: DraftColumn, group: string | null): void {
    const followed = this.dates.find((each) => each.group === group)?.cname;
    const date = this.rows.find(({ cname }) => cname === followed);
    if (date) this.set(date, 'dim_group', group);
    this.set(row, 'dim_group', group);
    if (group === null) this.set(row, 'dim_period_col', null);
  }

  /** Fills a dimension from the calendar; if there is only one date, the dimension is derived from it. */
  fillFrom(row: DraftColumn, period: string | null): void {
    this.set(row, 'dim_period_col', period);
    const [date, ...others] = this.dates;
    if (period !== null && row.dim_group === null && date && others.length === 0) {
      this.follow(row, date.group);
    }
  }

  /**
   * Applies suggested pairs to dimensions that are not derived from a date yet. Returns the applied pairs.
   */
  suggestPairs(pairs: readonly DatePair[]): DatePair[] {
    return pairs.filter(({ dimension, date, period }) => {
      const row = this.rows.find(({ cname }) => cname === dimension);
      const group = this.dates.find(({ cname }) => cname === date)?.group;
      if (!row || group === undefined || row.dim_group !== null) return false;
      if (period === null && /^(smallint|integer|bigint|numeric)/.test(row.type ?? '')) {
        // The calendar has no such number, so a load that moves the date would not update it.
        if (this.suggested.get(dimension) !== 'dimension') return false;
        this.set(row, 'role', 'filter');
        this.suggested.set(dimension, 'filter');
        return true;
      }
      this.follow(row, group);
      if (period !== null) this.set(row, 'dim_period_col', period);
      return true;
    });
  }

  move(from: number, to: number): void {
    if (from === to || to < 0 || to >= this.rows.length) return;
    const [row] = this.rows.splice(from, 1);
    if (row) this.rows.splice(to, 0, row);
  }

  /** Applies suggested roles to the columns without a role. Returns the number of changed columns. */
  suggest(roles: ReadonlyMap<string, Role>): number {
    const taken = this.rows.map((row) => row.role);
    let changed = 0;
    for (const row of this.rows) {
      const role = roles.get(row.cname);
      if (!role || row.role !== 'ignore' || role === 'ignore') continue;
      if ((role === 'value' || role === 'units') && taken.includes(role)) continue;
      this.set(row, 'role', role);
      this.suggested.set(row.cname, role);
      changed += 1;
    }
    return changed;
  }

  /** Stores the reason of a refusal, with the cell that the service names. */
  refuse(error: unknown): void {
    const { column, field } = error instanceof ApiError ? error : {};
    this.refusal = {
      message: messageOf(error),
      cname: this.rows.find((row) => row.cname === column)?.cname ?? null,
      field: field?.split('.').at(-1) ?? null,
    };
  }

  private followedDates(): FollowedDate[] {
    const dates = this.rows.filter(({ role }) => role === 'date');
    const groups = this.rows.flatMap(({ dim_group }) => dim_group ?? []);
    /** The name may be the group of another date. */
    const free = (name: string): string => (groups.includes(name) ? free(`${name} (date)`) : name);
    const named = dates.map(({ cname, label, dim_group }) => ({
      cname,
      group: dim_group ?? free(cname),
      label: label || cname,
    }));
    const known = distinct(named.map(({ group }) => group)).map((group): FollowedDate => {
      const all = named.filter((date) => date.group === group);
      return { group, cname: all[0]?.cname ?? null, label: all.map((d) => d.label).join(', ') };
    });
    const others = distinct(groups).filter((group) => !known.some((date) => date.group === group));
    return [
      ...known,
      ...others.map((group) => ({ group, cname: null, label: `${group} (no date column)` })),
    ];
  }

  private changedColumns(): ColumnSave[] {
    const reordered = this.rows.some((row, i) => row.cname !== this.stored[i]?.cname);
    return this.rows.flatMap((row, i) => {
      const before = this.stored.find((column) => column.cname === row.cname);
      if (!before) return [];
      const change: ColumnSave = { cname: row.cname };
      for (const field of FIELDS) {
        if (row[field] !== before[field]) Object.assign(change, { [field]: row[field] ?? null });
      }
      if (reordered && before.opos !== i + 1) change.opos = i + 1;
      return Object.keys(change).length > 1 ? [change] : [];
    });
  }
}
