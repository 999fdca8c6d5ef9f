/** A territory while it is edited. */
import type { ColumnEntry } from '$lib/contract/columns';
import type { Lookup } from '$lib/contract/lookups';
import { isDateRange, isWhole, type Slice } from '$lib/contract/slices';
import type { CreateTerritoryRequest, Territory } from '$lib/contract/territories';
import { listOf } from '$lib/pivot/slice/slice-values';
import { scalarOf, valueKindOf, type ValueKind } from '../workbench/conditions';

/** A condition of a slice while it is edited: values, or for a date without any, its first and last day. */
export interface SliceCondition {
  key: number;
  cname: string;
  /** Values as text; null is the empty value. */
  values: (string | null)[];
  from: string;
  to: string;
}

/** What a member may change: all that they may read, a part of it, or nothing. */
export type MayChange = 'all' | 'part' | 'nothing';

/** Returns the columns by which the slice of a territory can select: dates and dimensions, if any are marked as keys, these. */
export function selectingColumns(columns: readonly ColumnEntry[]): ColumnEntry[] {
  const keysMarked = columns.some(({ role, is_key }) => role === 'dimension' && is_key);
  return columns.filter(
    ({ role, is_key }) => role === 'date' || (role === 'dimension' && (!keysMarked || is_key)),
  );
}

/** A column or an attribute of a lookup by which a slice can select. */
export type SelectingField = Pick<ColumnEntry, 'cname' | 'label' | 'role' | 'type'> & {
  /** Whether it is an attribute. A territory cannot select rows without one. */
  isAttribute?: boolean;
};

/** Returns the fields by which the slice of a territory can select: columns, then attributes of lookups. */
export const selectingFields = (
  columns: readonly ColumnEntry[],
  lookups: readonly Pick<Lookup, 'attributes'>[],
): SelectingField[] => [
  ...selectingColumns(columns),
  ...lookups.flatMap(({ attributes }) =>
    attributes.map(({ label }) => ({ ...ATTRIBUTE, cname: label })),
  ),
];

/** The type of an attribute is that of a column in another table; its values are sent as text. */
const ATTRIBUTE = { label: null, role: 'dimension', type: null, isAttribute: true } as const;

/** A slice while it is edited, one condition a column. */
export class SliceDraft {
  conditions = $state<SliceCondition[]>([]);
  /** Why the slice cannot be saved; null until somebody tries. */
  fault = $state<string | null>(null);
  private nextKey = 0;

  /** @param slice the slice to edit; `{}` begins with a condition without values */
  constructor(
    readonly columns: readonly SelectingField[],
    slice: Slice,
  ) {
    for (const [cname, wanted] of Object.entries(slice)) {
      const { from = '', to = '' } = isDateRange(wanted) ? wanted : {};
      const values = isDateRange(wanted) ? [] : listOf(wanted);
      const texts = values.map((value) => (value === null ? null : String(value)));
      this.conditions.push({ key: this.nextKey++, cname, values: texts, from, to });
    }
    if (this.conditions.length === 0) this.add();
  }

  /** Columns that no condition uses. */
  get unused(): SelectingField[] {
    return this.columns.filter(
      ({ cname }) => !this.conditions.some((condition) => condition.cname === cname),
    );
  }

  /** Adds a condition on the first unused dimension, or date. */
  add(): void {
    const { unused } = this;
    const column = unused.find(({ role }) => role === 'dimension') ?? unused[0];
    if (column) this.conditions.push({ ...empty(column.cname), key: this.nextKey++ });
  }

  remove(key: number): void {
    this.conditions = this.conditions.filter((condition) => condition.key !== key);
  }

  /** Puts a condition on another column. */
  move(condition: SliceCondition, cname: string): void {
    Object.assign(condition, empty(cname));
  }

  isRange({ cname, values }: SliceCondition): boolean {
    const column = this.columns.find((each) => each.cname === cname);
    return column?.role === 'date' && values.length === 0;
  }

  kindOf(cname: string): ValueKind {
    return valueKindOf(this.columns.find((each) => each.cname === cname)?.type ?? null);
  }

  /** Whether a condition can select rows whose value is empty. */
  takesEmpty(cname: string): boolean {
    return !this.columns.find((each) => each.cname === cname)?.isAttribute;
  }

  labelOf(cname: string): string {
    return this.columns.find((each) => each.cname === cname)?.label || cname;
  }

  /** Returns the slice, or null and sets the fault. */
  toSlice(): Slice | null {
    const faults = this.conditions.map((condition) => this.faultOf(condition));
    this.fault =
      this.conditions.length === 0
        ? 'Choose at least one column.'
        : (faults.find((fault) => fault !== null) ?? null);
    if (this.fault !== null) return null;
    return Object.fromEntries(
      this.conditions.map((condition) => [condition.cname, this.wantedOf(condition)]),
    );
  }

  private faultOf(condition: SliceCondition): string | null {
    const { cname, values, from, to } = condition;
    const label = this.labelOf(cname);
    if (!this.isRange(condition))
      return values.length === 0 ? `Choose at least one value of ${label}.` : null;
    if (!from && !to) return `Enter the first or the last day of ${label}.`;
    return from && to && from > to ? `The period of ${label} ends before it begins.` : null;
  }

  private wantedOf(condition: SliceCondition): Slice[string] {
    const { cname, values, from, to } = condition;
    if (this.isRange(condition)) return { ...(from && { from }), ...(to && { to }) };
    const kind = this.kindOf(cname);
    const wanted = values.map((value) => (value === null ? null : scalarOf(value, kind)));
    const [only] = wanted;
    return wanted.length === 1 && only !== undefined ? only : wanted;
  }
}

const empty = (cname: string) => ({ cname, values: [], from: '', to: '' });

/** Returns what a territory lets its member change. */
export function changesOf({ read, write }: Pick<Territory, 'read' | 'write'>): MayChange {
  if (write === null) return 'nothing';
  const isAll = isWhole(write) || JSON.stringify(write) === JSON.stringify(read);
  return isAll ? 'all' : 'part';
}

/** A new territory, or one that is edited. */
export class TerritoryDraft {
  member = $state('');
  /** Whether the member reads the whole source. */
  reads = $state<'all' | 'part'>('part');
  changes = $state<MayChange>('all');
  /** Why the name cannot be saved; null until somebody tries. */
  memberFault = $state<string | null>(null);
  readonly read: SliceDraft;
  readonly write: SliceDraft;

  /**
   * @param selecting the fields by which its slices can select
   * @param territory the one to edit; null for a new one
   */
  constructor(selecting: readonly SelectingField[], territory: Territory | null) {
    const { read = {}, write = null } = territory ?? {};
    this.read = new SliceDraft(selecting, read);
    this.write = new SliceDraft(selecting, write ?? {});
    if (territory !== null) {
      this.member = territory.member;
      this.reads = isWhole(read) ? 'all' : 'part';
      this.changes = changesOf(territory);
    }
  }

  /** Returns the body of the request, or null and sets the faults. */
  toRequest(): CreateTerritoryRequest | null {
    const member = this.member.trim();
    this.memberFault = member === '' ? 'Enter the name of a person or a group.' : null;
    const read = this.reads === 'all' ? {} : this.read.toSlice();
    const part = this.changes === 'part' ? this.write.toSlice() : null;
    if (member === '' || read === null || (this.changes === 'part' && part === null)) return null;
    return { member, read, write: this.changes === 'all' ? read : part };
  }
}
