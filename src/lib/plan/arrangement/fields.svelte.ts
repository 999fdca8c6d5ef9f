/** The fields of the pivot on the page: moves, groups, sorts and filters them. */
import type { AmountStyle, Layout, LayoutFilter, MarkRule } from '../../contract/stored-layout';
import type { CellIdentity } from '../../pivot/slice/cell';
import { columnSort, type SortKey } from '../../pivot/layout/column-sort';
import { isOthers } from '../../pivot/values/others';
import { toScalar } from '../../pivot/values/cell-value';
import type { CellValue } from '../../pivot/values/engine-types';
import type { Admitted } from '../../pivot/slice/filter';
import {
  admitted,
  filtersByColumn,
  onlyFilters,
  rangeFilters,
  replaceFilters,
  withoutFilters,
} from '../../pivot/slice/filter';
import { label } from '../../pivot/values/labels';
import type { Member } from '../../pivot/table/members';
import { isAdditive, isSum, missingParts, paintingOf } from '../../pivot/values/ratios';
import { isTimeUnit } from '../../pivot/values/time-unit';
import { withNewestClose } from '../../pivot/values/to-date';
import type { Arrangement } from './arrangement.svelte';
import type { Direction, Field, Unit, Zone } from './fields';
import {
  aggregatedBy,
  dateOf,
  datePart,
  daysOf,
  exchanged,
  fieldsOf,
  labelOf,
  moved,
  namesIn,
  sortedBy,
  sortOf,
  UNITS,
  zoneOf,
} from './fields';
import type { Loading } from '../version/loading.svelte';
import type { Locks } from '../records/locks.svelte';
import { newestDays, type Days } from '../amounts/day-ranges';
import type { PlannedVersion } from '../version/planned-version.svelte';

/** A field in its zone, or outside all zones if it is not shown. */
export interface PlacedField {
  /** The column of the layout, or of the rows. */
  name: string;
  label: string;
  kind: Field['kind'];
  zone: Zone | null;
  /** The unit that a date is grouped by; null for any other field. */
  unit: Unit | null;
  /** The column that a filter on the field uses; null if it cannot be filtered. */
  filterBy: string | null;
}

/** A value behind a cell, and the filters that show only this value, or all others. */
export interface CellMember {
  column: string;
  text: string;
  /** Null for the groups of a row "Others". */
  only: readonly LayoutFilter[] | null;
  /** Null if no filter can exclude it. */
  without: readonly LayoutFilter[] | null;
  /** The days of a date, as ISO text; absent for any other value. */
  days?: Days;
}

/** The filters of one column. */
export interface ColumnFilter {
  column: string;
  label: string;
  filters: readonly LayoutFilter[];
  admitted: Admitted;
  /** Whether the values of the column are calendar days. */
  isDay: boolean;
}

/** The fields of the pivot: the zone of each, and its filters. */
export class Fields {
  /** Whether the panel that arranges the fields is open. */
  open = $state.raw(false);
  /** The column whose filter is being edited; empty while the user chooses one, null for none. */
  editing = $state.raw<string | null>(null);
  /** The field and the measure whose limit is being edited; null for none. */
  limiting = $state.raw<{ field?: string; by?: string } | null>(null);
  /** The field whose values are being put in order; null for none. */
  ordering = $state.raw<string | null>(null);
  /** The measure whose marks are being edited; null for none. */
  marking = $state.raw<string | null>(null);
  /** The field that is being dragged. */
  dragged = $state.raw<PlacedField | null>(null);

  /** The newest closed day of each date column that has one. */
  private readonly closed: ReadonlyMap<string, string> = $derived.by(() =>
    newestDays(this.planned.dates.map(({ cname }) => [cname, this.locks.closedDays(cname)])),
  );

  /** Every field of the loaded rows, and those that closed months add. */
  readonly all: readonly Field[] = $derived.by(() => {
    const { pivot } = this.loading;
    return this.loading.phase.kind === 'ready' && pivot
      ? fieldsOf(this.planned.columns, pivot.schema, pivot.origins.parts, this.closed)
      : [];
  });

  readonly rows: readonly PlacedField[] = $derived.by(() => this.placedIn('rows'));
  readonly columns: readonly PlacedField[] = $derived.by(() => this.placedIn('columns'));
  readonly measures: readonly PlacedField[] = $derived.by(() => this.placedIn('measures'));
  /** The first measure that is a sum. It ranks the values of a filter. */
  readonly ranking: PlacedField | null = $derived.by(
    () =>
      this.measures.find(({ name }) => /^(integer|float)$/.test(this.typeOf(name) ?? '')) ?? null,
  );
  /** The fields that are in no zone. A date stays available: it can be grouped by several units at once. */
  readonly others: readonly PlacedField[] = $derived.by(() => {
    const { shown } = this.arrangement;
    return this.all
      .filter(({ name }) => zoneOf(name, shown) === null)
      .map(({ name }) => this.placed(name));
  });

  /** The active filters by column, in their order. */
  readonly filters: readonly ColumnFilter[] = $derived.by(() =>
    [...filtersByColumn(this.arrangement.shown.filter ?? [])].map(([column, filters]) => ({
      column,
      ...{ label: this.labelOf(column), isDay: this.planned.isDay(column) },
      ...{ filters, admitted: admitted(filters) },
    })),
  );

  /** Whether the layout splits a date by another close than the newest. */
  readonly isBehindCloses: boolean = $derived.by(
    () =>
      this.locks.latest.answer !== null &&
      withNewestClose(this.arrangement.shown.expressions ?? {}, this.closed) !== null,
  );

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly arrangement: Arrangement,
    private readonly locks: Locks,
  ) {}

  /** Makes YTD end with the newest close, after a close or its undo. */
  followCloses(): Promise<void> {
    return this.arrangement.arrange((shown) => {
      const expressions = withNewestClose(shown.expressions ?? {}, this.closed);
      return expressions && { ...shown, expressions };
    });
  }

  /** Returns the planner's label of a column of the layout. */
  labelOf(name: string): string {
    return labelOf(name, this.arrangement.shown, this.all);
  }

  /** Whether rows can be sorted by a field. Numbers that are computed from averages are empty. */
  sorts({ name, zone }: PlacedField): boolean {
    if (zone !== 'measures') return false;
    const ratios = this.loading.pivot?.origins.ratios;
    const { aggregates = {} } = this.arrangement.shown;
    const parts = ratios ? (paintingOf(name, ratios)?.parts ?? []) : [];
    return parts.every((part) => isSum(aggregates[part]));
  }

  /** Whether the values of a field can be put in an order of the user. */
  hasOrder({ name, zone }: PlacedField): boolean {
    const isShown = zone === 'rows' || zone === 'columns';
    return isShown && this.loading.pivot?.canOrder(name) === true;
  }

  /** Whether rows can be limited by a field. Averages of several columns have no total. */
  limits(field: PlacedField): boolean {
    const { aggregates = {}, split_by = [] } = this.arrangement.shown;
    return this.sorts(field) && (split_by.length === 0 || isAdditive(aggregates[field.name]));
  }

  /**
   * Returns the aggregate of a measure of the pivot that has a sum; null for any other field, and for numbers
   * that are computed.
   */
  aggregateOf({ name, zone }: PlacedField): string | null {
    const { origins } = this.loading.pivot ?? {};
    if (zone !== 'measures' || !origins || paintingOf(name, origins.ratios)) return null;
    if (!/^(integer|float)$/.test(this.typeOf(name) ?? '')) return null;
    const aggregate = this.arrangement.shown.aggregates?.[name] ?? 'sum';
    return typeof aggregate === 'string' ? aggregate : aggregate[0];
  }

  /** Shows a measure as the sum or as the average of its rows. */
  aggregate(measure: string, by: 'sum' | 'avg'): void {
    void this.arrangement.arrange((shown) => aggregatedBy(shown, measure, by));
  }

  /** Whether a measure of the pivot shows numbers. */
  hasNumbers(measure: string): boolean {
    const { origins } = this.loading.pivot ?? {};
    const aggregate = [this.arrangement.shown.aggregates?.[measure] ?? 'sum'].flat()[0] ?? '';
    return (
      origins?.ratios.has(measure) === true ||
      /^(integer|float)$/.test(this.typeOf(measure) ?? '') ||
      /count$/.test(String(aggregate))
    );
  }

  /** Returns the rules that mark the cells of a measure. */
  rulesOf(measure: string): readonly MarkRule[] {
    return this.arrangement.shown.marks?.[measure] ?? [];
  }

  /** Whether the numbers of a measure are shown as percentages. */
  isPercent(measure: string): boolean {
    const { number_format } = this.loading.pivot?.grid.formatNamed(measure) ?? {};
    return number_format?.style === 'percent';
  }

  /** Returns the style of the amounts of a measure. */
  amountStyleOf(measure: string): AmountStyle {
    return this.arrangement.shown.amounts?.[measure] ?? {};
  }

  /** Returns the type of a loaded column. */
  typeOf(column: string) {
    return this.loading.pivot?.schema[column];
  }

  /**
   * Moves a field to a zone, before the field at `index` (none: to the end), or removes it (null).
   *
   * @returns the column of the field in its new zone; null if the field stays, as the last row field and the
   * last measure do
   */
  async move(
    { name, kind, zone: from }: PlacedField,
    zone: Zone | null,
    index?: number,
  ): Promise<string | null> {
    const isNew = kind === 'date' && from === null;
    const part = isNew ? datePart(name, this.usualUnit(name)) : null;
    const column = part?.name ?? name;
    const own = this.all.find((field) => field.name === name)?.expression;
    const added = own === undefined ? part?.expressions : { [name]: own };
    let isThere = false;
    // The layout may have changed by the time this change runs.
    await this.arrangement.arrange((shown) => {
      const expressions = { ...shown.expressions, ...added };
      const arranged = moved({ ...shown, expressions }, column, zone, index);
      if (!arranged) return null;
      const layout = from === null ? this.withItsParts(arranged, column) : arranged;
      isThere = true;
      const levels = namesIn('rows', shown).length;
      const isDeeper = namesIn('rows', layout).length > levels;
      // Groups that are open stay open, but a new level starts closed: it may have thousands of rows.
      const depth = isDeeper ? (shown.depth ?? Math.max(0, levels - 1)) : shown.depth;
      const isGone = zone === null || kind !== 'measure';
      const sort = (layout.sort ?? []).filter(([sorted]) => sorted !== column || !isGone);
      return { ...layout, sort, depth };
    });
    return isThere ? column : null;
  }

  /** Moves a measure to a side of another one. */
  async placeMeasure(name: string, beside: string, side: 'left' | 'right'): Promise<void> {
    const at = this.measures.findIndex((field) => field.name === beside);
    const field = this.measures.find((each) => each.name === name);
    if (field && at >= 0) await this.move(field, 'measures', side === 'left' ? at : at + 1);
  }

  /**
   * Adds the columns that a share or a price is computed from, before that column. The parts of any other formula
   * stay hidden.
   */
  private withItsParts(layout: Layout, column: string): Layout {
    const { origins } = this.loading.pivot ?? {};
    const isStored = origins?.formulaOf(column) && origins.of(column)?.origin !== 'price';
    const ratio = isStored ? undefined : origins?.ratios.get(column);
    const names = namesIn('measures', layout);
    const missing = ratio ? missingParts(ratio, names) : [];
    return missing.reduce(
      (each, part) =>
        moved(each, part, 'measures', namesIn('measures', each).indexOf(column)) ?? each,
      layout,
    );
  }

  /** Groups a date by another unit, in the same place. */
  group({ name }: PlacedField, unit: Unit): void {
    void this.arrangement.arrange((shown) => {
      const grouped = dateOf(name, shown, this.all);
      if (!grouped) return null;
      const part = datePart(grouped.date.name, unit);
      const expressions = { ...shown.expressions, ...part.expressions };
      return exchanged({ ...shown, expressions }, name, part.name);
    });
  }

  /** Sorts the rows by a measure, or by one column of it; null removes the order. */
  sort(by: SortKey, direction: Direction | null): void {
    void this.arrangement.arrange((shown) => sortedBy(shown, by, direction));
  }

  /** Sorts the rows by the column of a cell; if they are sorted that way already, removes the order. */
  async toggleSort(cell: CellIdentity, direction: Direction): Promise<void> {
    const [by] = this.sortKeysOf(cell);
    if (!by) return;
    await this.arrangement.arrange((shown) =>
      sortedBy(shown, by, sortOf(by.name, shown) === direction ? null : direction),
    );
  }

  /** Returns the sort keys of a cell or header: its measure in its own column first, then its measure. */
  sortKeysOf({ measure, columnPath }: CellIdentity): SortKey[] {
    const field = this.measures.find(({ name }) => name === measure);
    if (!field || !this.sorts(field)) return [];
    const { pivot } = this.loading;
    const { shown } = this.arrangement;
    const isRatio = pivot?.origins.ratios.has(field.name) ?? false;
    const isComputed = isRatio || Object.hasOwn(shown.expressions ?? {}, field.name);
    const ofColumn =
      pivot && columnSort({ ...field, isComputed }, columnPath ?? [], shown, pivot.schema);
    // A column of the rows may have this name.
    const isFree = ofColumn && this.typeOf(ofColumn.name) === undefined;
    return isFree ? [ofColumn, field] : [field];
  }

  /** Replaces the filters of a column; an empty list removes them. */
  filter(column: string, filters: readonly LayoutFilter[]): void {
    void this.arrangement.arrange((shown) => ({
      ...shown,
      filter: replaceFilters(shown.filter ?? [], column, filters),
    }));
  }

  /** Removes the filters of some columns. */
  removeFilters(columns: readonly string[]): void {
    void this.arrangement.arrange((shown) => ({
      ...shown,
      filter: (shown.filter ?? []).filter(([column]) => !columns.includes(column)),
    }));
  }

  /** Returns the number of rows of a log entry that the filters hide, and the filters that hide some. */
  async hiddenOf(logid: number): Promise<{ rows: number; filters: readonly ColumnFilter[] }> {
    const { filters } = this;
    const { pivot } = this.loading;
    if (!pivot || filters.length === 0) return { rows: 0, filters: [] };
    const all = await pivot.countOf(logid, []);
    const left = await pivot.countOf(
      logid,
      filters.flatMap((each) => each.filters),
    );
    const ofEach = await Promise.all(filters.map((each) => pivot.countOf(logid, each.filters)));
    return { rows: all - left, filters: filters.filter((_, i) => ofEach[i] !== all) };
  }

  clearFilters(): void {
    void this.arrangement.arrange((shown) => ({ ...shown, filter: [] }));
  }

  /** Returns the values of a column, without numbers, if they are known; see {@link Members.known}. */
  knownMembers(column: string): readonly Member[] | null {
    return this.loading.pivot?.members.known(column) ?? null;
  }

  /** Reads the values of a column, with the sum of {@link ranking}; see {@link Members.counted}. */
  async members(column: string): Promise<readonly Member[]> {
    return (await this.loading.pivot?.members.counted(column, this.ranking?.name ?? null)) ?? [];
  }

  /**
   * Returns the members behind a cell or a header that rows can be filtered by: those of its row, then of its
   * column.
   */
  membersOf({ rowPath, columnPath }: CellIdentity): CellMember[] {
    const { group_by = [], split_by = [] } = this.arrangement.shown;
    const headers = [
      [group_by[rowPath.length - 1], rowPath.at(-1)],
      [split_by[(columnPath?.length ?? 0) - 1], columnPath?.at(-1)],
    ] as const;
    return headers.flatMap(([name, value]) =>
      name === undefined || value === undefined ? [] : (this.memberOf(name, value) ?? []),
    );
  }

  private memberOf(name: string, value: CellValue): CellMember | null {
    const { shown } = this.arrangement;
    const grouped = dateOf(name, shown, this.all);
    const column = grouped?.date.name ?? name;
    const type = this.typeOf(column);
    if (type === undefined) return null;
    const unit = grouped?.unit;
    const text = label(value, isTimeUnit(unit) ? unit : type);
    if (isOthers(value)) return { column, text, only: null, without: null };
    if (grouped && typeof value === 'number') {
      const dateType = type === 'datetime' ? type : 'date';
      const [from, to] = daysOf(value, grouped.unit);
      const only = rangeFilters(column, dateType, from, to);
      return { column, text, only, without: null, days: { from, to } };
    }
    const scalar = toScalar(value, type);
    const present = (shown.filter ?? []).filter(([filtered]) => filtered === column);
    const without = withoutFilters(column, present, scalar);
    return { column, text, only: onlyFilters(column, scalar), without };
  }

  private placedIn(zone: Zone): PlacedField[] {
    return namesIn(zone, this.arrangement.shown).map((name) => this.placed(name));
  }

  private placed(name: string): PlacedField {
    const { shown } = this.arrangement;
    const field = this.all.find((each) => each.name === name);
    const grouped = dateOf(name, shown, this.all);
    const zone = zoneOf(name, shown);
    const kind = grouped
      ? 'date'
      : (field?.kind ?? (zone === 'measures' ? 'measure' : 'dimension'));
    return {
      name,
      label: zone === null && field ? field.label : this.labelOf(name),
      kind,
      zone,
      unit: grouped?.unit ?? null,
      filterBy:
        grouped?.date.name ?? (field && !field.expression && kind !== 'measure' ? name : null),
    };
  }

  /**
   * Returns the unit by which the automatic layout groups a date; another one if that unit is shown already.
   */
  private usualUnit(date: string): Unit {
    const automatic = this.loading.pivot?.defaultLayout() ?? {};
    const grouped = namesIn('columns', automatic).map((name) => dateOf(name, automatic, this.all));
    const usual = grouped.find((each) => each?.date.name === date)?.unit ?? 'month';
    const isFree = (unit: Unit) =>
      zoneOf(datePart(date, unit).name, this.arrangement.shown) === null;
    return [usual, ...UNITS].find(isFree) ?? usual;
  }
}
