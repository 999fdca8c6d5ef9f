/** The version on the page, and whether it can be changed. */
import * as api from '../../client/api';
import {
  baseTypeOf,
  type ByMeasure,
  holdsDays,
  isLeaf,
  isSingleRole,
  measuresOf,
  type ColumnEntry,
} from '../../contract/columns';
import {
  decimalsOf,
  type Decimals,
  type FixedDecimals,
  type MeasureDecimals,
} from '../../contract/decimals';
import type { Source } from '../../contract/sources';
import type { LogListEntry } from '../../contract/log';
import type { SlicePreview } from '../../contract/previews';
import type { Slice } from '../../contract/slices';
import { inKeys, overlapOf, type Overlap } from '../../pivot/grid/cells/reach';
import { readsPart } from '../../contract/territories';
import type { Version } from '../../contract/versions';
import { Attributes } from '../../pivot/rows/attributes';
import { conversionFormula, type PivotFormula } from '../../pivot/rows/formula-columns';
import { decimalsByType } from '../../pivot/rows/measure-decimals';
import { user } from '../../client/user.svelte';
import { type Measured, totalOf } from '../../contract/measures';
import type { NamedMeasure } from '../amounts/measure-words';
import type { ConversionOf } from '../amounts/typed-conversion';
import { withAttributes } from './lookups';
import { changeableOf } from './own-part';
import type { TriedRows } from '../amounts/tried-rows';

const NONE = { least: 0, most: 0 };

/** The version on the page, its source, and the source's columns with the planner's labels. */
export class PlannedVersion {
  /** The version as the service last returned it. */
  current: Version;
  /** The source as the service last returned it. */
  source: Source;
  /** Whether the user sees only a part of the source. */
  readonly seesPart: boolean = $derived.by(() => readsPart(this.source));
  /** Whether the user may do what concerns all rows of the version, such as a load, a copy or a close of months. */
  readonly mayPlanAll: boolean = $derived.by(
    () => user.mayPlan && this.source.territory === undefined,
  );
  readonly closed: boolean = $derived.by(() => this.current.status === 'closed');
  /** The last entry of the plan that is shown; null for the current plan. */
  asOf = $state.raw<LogListEntry | null>(null);
  /** Whether changes are being tried. */
  isTrying = $state(false);
  /** The rows of the tried changes; null if none are on screen. */
  tried = $state.raw<TriedRows | null>(null);
  /** Why no change can be tried on this page now, as a sentence; null if one can. */
  readonly obstacleToTry: string | null = $derived.by(() => {
    if (!user.mayPlan) return 'You have read access only: you can see this plan but not change it.';
    if (this.source.territory?.write.length === 0) {
      return 'Your territories let you see this plan but not change it.';
    }
    if (this.closed) return 'This version is closed: you can see it but not change it.';
    if (this.asOf) return 'This is an earlier state of the plan. Go back to now to change it.';
    return null;
  });
  /** Why nothing can be written on this page now, as a sentence; null if changes are possible. */
  readonly obstacle: string | null = $derived(
    this.obstacleToTry ??
      (this.isTrying ? 'A change is being tried. Keep it or discard it first.' : null),
  );

  /** Whether the totals of a selection are read by month too, because a shape needs them. */
  byMonth = $state(false);

  /** The attributes of lookups that the loaded rows have. */
  joined = $state.raw(Attributes.NONE);
  /** The columns of the source, then the attributes of {@link joined} as dimensions. */
  readonly columns: readonly ColumnEntry[] = $derived.by(() =>
    withAttributes(this.stored, this.joined),
  );

  /** The columns that an operation may set. */
  readonly dimensions: readonly ColumnEntry[];
  /** The date columns. */
  readonly dates: readonly ColumnEntry[];
  /** The keys of the measures that the source has. */
  readonly measureKeys: readonly string[];
  /** The columns of the measures. */
  readonly measureColumns: ByMeasure<string>;
  /** Whether the source has value and units, and so a price. */
  readonly hasPrice: boolean;
  /** The keys of the measures that can follow the percentage of value. */
  readonly followerKeys: readonly string[];
  /** The date whose months a shape parts amounts over: the first one; undefined without a date. */
  readonly dateColumn: string | undefined;
  readonly fixedDecimals: FixedDecimals;
  /** The decimals of the amounts. If the type fixes none, the loaded rows determine the number. */
  decimals: MeasureDecimals = $state.raw({ value: NONE, units: NONE });

  /** The conversions of {@link joined}, each with the measure that it multiplies. */
  readonly conversions: readonly (ConversionOf & { formula: PivotFormula })[] = $derived.by(() =>
    this.joined.conversions.flatMap(({ name, measure }) => {
      const key = this.keyOf(measure);
      return key === null ? [] : { name, key, formula: conversionFormula(name) };
    }),
  );

  /** The measures that the pivot can show, with their labels and decimals: those of the source, and conversions. */
  readonly shownMeasures: readonly NamedMeasure[] = $derived.by(() =>
    measuresOf(this.columns).map(({ key, column: { cname } }) => ({
      ...{ key, column: cname, name: this.labelOf(cname) },
      decimals: this.decimals[key] ?? NONE,
    })),
  );
  /** The measures that the source has. */
  readonly measures: readonly NamedMeasure[] = $derived.by(() =>
    this.shownMeasures.filter(({ key }) => this.measureKeys.includes(key)),
  );

  constructor(
    version: Version,
    source: Source,
    /** The columns of the source. */
    readonly stored: readonly ColumnEntry[],
  ) {
    this.current = $state.raw(version);
    this.source = $state.raw(source);
    this.dimensions = stored.filter((c) => isLeaf(c.role));
    this.dates = stored.filter((c) => c.role === 'date');
    this.dateColumn = this.dates[0]?.cname;
    const measures = measuresOf(stored);
    this.measureKeys = measures.map(({ key }) => key);
    this.measureColumns = Object.fromEntries(
      measures.map(({ key, column }) => [key, column.cname]),
    );
    const { value, units } = this.measureColumns;
    this.hasPrice = value !== undefined && units !== undefined;
    this.followerKeys =
      value === undefined ? [] : this.measureKeys.filter((key) => !isSingleRole(key));
    this.fixedDecimals = {
      ...{ value: null, units: null },
      ...Object.fromEntries(
        measures.map(({ key, column }) => [key, decimalsOf(baseTypeOf(column))]),
      ),
    };
    this.decimals = decimalsByType(stored);
  }

  get id(): number {
    return this.current.id;
  }

  /** Returns why the user's territories let them change no row of a slice; null if they may change some. */
  beyond(slice: Slice): string | null {
    return changeableOf(this.source, slice) === 'none'
      ? 'Your territories let you see these rows but not change them.'
      : null;
  }

  /** Compares two slices as {@link overlapOf} does, also where one names attributes and the other one their keys. */
  overlapOf(slice: Slice, other: Slice): Overlap {
    return overlapOf(inKeys(slice, this.joined), inKeys(other, this.joined));
  }

  /** Returns the label of a column, or its name if it has none. */
  labelOf(cname: string): string {
    return this.columns.find((c) => c.cname === cname)?.label || cname;
  }

  /** Returns whether the values of a column are calendar days or moments. */
  isDay(cname: string): boolean {
    const column = this.columns.find((c) => c.cname === cname);
    return column !== undefined && holdsDays(column);
  }

  /** Returns the key of the measure in a column of the source; null if it is none. */
  keyOf(cname: string): string | null {
    return this.measureKeys.find((key) => this.measureColumns[key] === cname) ?? null;
  }

  /** Returns the column of a measure by its key. */
  columnOf(key: string): string {
    return this.measureColumns[key] ?? key;
  }

  /** Returns whether the price is made of a measure, so that it can be held while the measure changes. */
  isPriced(key: string): boolean {
    return this.hasPrice && isSingleRole(key);
  }

  /** Returns the label of a measure by its key. */
  nameOf(key: string): string {
    return this.labelOf(this.columnOf(key));
  }

  /** Returns the conversion of a name; undefined if there is none. */
  conversionOf(name: string): PlannedVersion['conversions'][number] | undefined {
    return this.conversions.find((conversion) => conversion.name === name);
  }

  /** Returns the key of the measure in a column, or of the one that a conversion multiplies; null if it is neither. */
  keyBehind(cname: string): string | null {
    return this.keyOf(cname) ?? this.conversionOf(cname)?.key ?? null;
  }

  /** Returns the total of the measure in a column of the source or of a conversion; null if it is neither. */
  totalOf(totals: Measured & Pick<SlicePreview, 'conversions'>, cname: string): number | null {
    const key = this.keyOf(cname);
    return key === null ? (totals.conversions?.[cname]?.total ?? null) : totalOf(totals, key);
  }

  /** Returns the decimals of a column of the pivot: those of the value, unless it shows another measure. */
  decimalsIn(column: string | null): Decimals {
    const { shownMeasures: measures } = this;
    const own =
      measures.find((measure) => measure.column === column) ??
      measures.find((measure) => column?.startsWith(`${measure.column}: `));
    return own?.decimals ?? this.decimals.value;
  }

  /** Whether an entry is later than the state of the plan that is shown. */
  isLater({ id }: Pick<LogListEntry, 'id'>): boolean {
    return this.asOf !== null && id > this.asOf.id;
  }

  /**
   * Reads the totals of the rows that an operation on a slice would touch: the stored rows and the tried ones.
   *
   * @param byMonth whether the months of the stored rows are read too
   * @param hold slices whose rows count as held, beside the locked ones
   * @throws ApiError if the request fails
   */
  async readSlice(
    slice: Slice,
    signal?: AbortSignal,
    byMonth = this.byMonth,
    hold?: Slice[],
  ): Promise<SlicePreview> {
    const by = this.groupedBy(byMonth);
    const body = { slice, hold, ...by, ...this.wouldWrite };
    const stored = await api.call('POST /versions/{id}/slice', { id: this.id, body, signal });
    return (await this.tried?.addTo(stored, slice, hold, by?.by[0])) ?? stored;
  }

  /**
   * Reads the same of several slices.
   *
   * @returns their totals in the order of the slices
   * @throws ApiError if the request fails
   */
  async readSlices(
    slices: readonly Slice[],
    byMonth: boolean,
    signal?: AbortSignal,
  ): Promise<SlicePreview[]> {
    const by = this.groupedBy(byMonth);
    const body = { slices: [...slices], ...by, ...this.wouldWrite };
    const answer = await api.call('POST /versions/{id}/slices', { id: this.id, body, signal });
    return Promise.all(
      answer.slices.map(async (stored, i) => {
        const slice = slices[i] ?? {};
        return (await this.tried?.addTo(stored, slice, [], by?.by[0])) ?? stored;
      }),
    );
  }

  /** Whose change it would be: reviews hold rows for some people only. */
  private get wouldWrite() {
    return user.name ? { pf_user: user.name } : {};
  }

  private groupedBy(byMonth: boolean) {
    const { dateColumn } = this;
    if (!byMonth || dateColumn === undefined) return undefined;
    return { by: [dateColumn], unit: 'month' as const };
  }

  /**
   * Reads the version and the source again, because others may have closed the version, or changed the user's
   * territories. Keeps the old ones if that fails.
   */
  async refresh(): Promise<void> {
    const version = api.call('GET /versions/{id}', { id: this.id }).catch(() => this.current);
    const source = api.call('GET /sources/{id}', { id: this.source.id }).catch(() => this.source);
    [this.current, this.source] = await Promise.all([version, source]);
  }
}
