/** A lookup while it is edited. */
import { type ColumnEntry, isMeasure } from '$lib/contract/columns';
import {
  type Conversion,
  type EditLookupRequest,
  joiningColumns,
  type Lookup,
  namesAdded,
} from '$lib/contract/lookups';
import type { TableEntry, TablePreview } from '$lib/contract/sources';
import { PERIOD_NAMES } from './period-choices';
import {
  areUnique,
  freeLabel,
  labelOf,
  type LookupKey,
  type LookupRange,
  repeats,
  suggestKeys,
  suggestRange,
  textsOf,
  type KeyColumn,
} from './suggest-lookup';
import { selectingColumns } from './territory-draft.svelte';

export type LookupTable = Pick<TableEntry, 'schema' | 'tname'>;

/** The calendar of months. It is no table that can become a source, so it has no preview. */
export const CALENDAR: LookupTable = { schema: 'pf', tname: 'dim_period' };
export const CALENDAR_NAME = 'Fiscal and calendar periods';
/** The columns of the calendar that are chosen first. */
const CALENDAR_CHOICE = ['fisc_year', 'fisc_quarter_label', 'fisc_label'];
const CALENDAR_LABELS: Readonly<Partial<Record<string, string>>> = {
  sdat: 'First day',
  edat: 'Last day',
  ndays: 'Days',
  cal_year: 'Year',
  cal_quarter: 'Quarter number',
  cal_month: 'Month number',
  cal_month_abbr: 'Month, short',
  cal_month_name: 'Month',
  cal_label: 'Year and month',
  fisc_year: 'Fiscal year',
  fisc_quarter: 'Fiscal quarter number',
  fisc_quarter_label: 'Fiscal quarter',
  fisc_month: 'Fiscal month number',
  fisc_month_abbr: 'Fiscal month, short',
  fisc_month_name: 'Fiscal month',
  fisc_label: 'Fiscal period',
  period_key: 'Period',
};
/** The columns that bring names of months into the order of time. */
const CALENDAR_ORDER: Readonly<Partial<Record<string, string>>> = {
  cal_month_abbr: 'cal_month',
  cal_month_name: 'cal_month',
  fisc_month_abbr: 'fisc_month',
  fisc_month_name: 'fisc_month',
};

/** The columns of the calendar, with the examples of their names as a row. */
const CALENDAR_PREVIEW: TablePreview = {
  columns: Object.keys(PERIOD_NAMES)
    .filter((cname) => cname !== 'drange')
    .map((cname) => ({
      cname,
      type: cname === 'sdat' || cname === 'edat' ? 'date' : 'text',
      nullable: false,
    })),
  rows: [
    Object.fromEntries(
      Object.entries(PERIOD_NAMES).map(([cname, words]) => [cname, words.split(': ')[1] ?? null]),
    ),
  ],
};

/** A column of the table, which can become an attribute. */
export interface AttributeDraft {
  cname: string;
  /** Some of its values. */
  example: string;
  isChosen: boolean;
  label: string;
  /** The column by which its values are ordered; empty for their own order. */
  orderBy: string;
}

/** A new lookup, or one that is edited. */
export class LookupDraft {
  name = $state('');
  table = $state.raw<LookupTable | null>(null);
  keys = $state<LookupKey[]>([]);
  range = $state<LookupRange | null>(null);
  attributes = $state<AttributeDraft[]>([]);
  conversions = $state<Conversion[]>([]);
  /** Whether somebody tried to save it: from then on, {@link faults} names the missing fields. */
  isAsked = $state(false);
  /** Columns of the table with their types. */
  tableColumns = $state.raw<{ cname: string; type: string }[]>([]);
  readonly selecting: readonly ColumnEntry[];
  readonly dates: readonly ColumnEntry[];
  readonly measures: readonly ColumnEntry[];

  /**
   * @param columns all columns of the source
   * @param others the other lookups of the source
   * @param lookup the one to edit; null for a new one
   */
  constructor(
    private readonly columns: readonly ColumnEntry[],
    private readonly others: readonly Pick<Lookup, 'attributes' | 'conversions'>[],
    lookup: Lookup | null,
  ) {
    this.selecting = selectingColumns(columns);
    this.dates = columns.filter(({ role }) => role === 'date');
    this.measures = columns.filter(({ role }) => isMeasure(role));
    if (lookup === null) return;
    this.name = lookup.name;
    this.table = { schema: lookup.schema, tname: lookup.tname };
    this.keys = lookup.keys.map((key) => ({ ...key }));
    this.range = lookup.range && { ...lookup.range };
    this.attributes = lookup.attributes.map(({ cname, label, order_by }) => ({
      ...{ cname, label, example: '', isChosen: true, orderBy: order_by ?? '' },
    }));
    this.conversions = lookup.conversions.map((conversion) => ({ ...conversion }));
    // The table may have lost columns since: they can still be seen and replaced.
    this.tableColumns = [
      ...lookup.keys.map(({ from }) => from),
      ...(lookup.range ? [lookup.range.from, lookup.range.through] : []),
      ...lookup.attributes.flatMap(({ cname, order_by }) => [cname, order_by ?? cname]),
      ...lookup.conversions.map(({ rate }) => rate),
    ]
      .filter((cname, i, all) => all.indexOf(cname) === i)
      .map((cname) => ({ cname, type: '' }));
  }

  /** Attributes that can be offered: columns of the table that are no key. */
  get offered(): AttributeDraft[] {
    return this.attributes.filter(
      ({ cname, isChosen }) => isChosen || !this.keys.some((key) => key.from === cname),
    );
  }

  get isCalendar(): boolean {
    return this.table?.schema === CALENDAR.schema && this.table.tname === CALENDAR.tname;
  }

  /** Columns of the table that hold days. */
  get days(): string[] {
    return this.tableColumns
      .filter(({ type, cname }) => /^(date|timestamp)/.test(type) || this.isInRange(cname))
      .map(({ cname }) => cname);
  }

  /** Columns of the table that can be rates: numbers that are no keys. */
  get rates(): string[] {
    const isChosen = (cname: string) => this.conversions.some(({ rate }) => rate === cname);
    const isKey = (cname: string) => this.keys.some(({ from }) => from === cname);
    return this.tableColumns
      .filter(({ type, cname }) => isChosen(cname) || (isNumber(type) && !isKey(cname)))
      .map(({ cname }) => cname);
  }

  get canConvert(): boolean {
    return this.measures.length > 0 && this.rates.length > 0;
  }

  get canHaveRange(): boolean {
    return this.dates.length > 0 && this.days.length > 1;
  }

  /** Names that no further attribute or conversion can have. */
  private get taken(): string[] {
    return [
      ...this.columns.flatMap(({ cname, label }) => (label ? [cname, label] : [cname])),
      ...this.others.flatMap((other) => namesAdded(other).map(({ label }) => label)),
    ];
  }

  /** Adds the columns of the calendar beside those of the stored lookup. */
  addCalendarColumns(): void {
    this.addColumns(CALENDAR_PREVIEW);
  }

  /** Starts with the calendar: each day of the source's first date has its fiscal year, quarter and period. */
  chooseCalendar(): void {
    const [date] = this.dates;
    this.table = CALENDAR;
    this.tableColumns = CALENDAR_PREVIEW.columns;
    this.name ||= CALENDAR_NAME;
    this.keys = [];
    this.range = date ? { column: date.cname, from: 'sdat', through: 'edat' } : null;
    this.conversions = [];
    this.attributes = this.attributesOf(
      CALENDAR_PREVIEW,
      date ? date.label || date.cname : '',
      (cname) => CALENDAR_CHOICE.includes(cname),
    );
  }

  /** Starts with a table and suggests keys, days and attributes. @param columns those that can be keys */
  chooseTable(table: LookupTable, preview: TablePreview, columns: readonly KeyColumn[]): void {
    this.table = table;
    this.tableColumns = preview.columns;
    this.name ||= labelOf(table.tname);
    this.conversions = [];
    this.keys = suggestKeys(columns, preview);
    const range = suggestRange(this.dates, preview);
    const needsDays = this.keys.length === 0 || !areUnique(this.keys, preview);
    this.range = needsDays ? range : null;
    this.attributes = this.attributesOf(
      preview,
      this.name,
      (cname) =>
        !this.keys.some(({ from }) => from === cname) &&
        !this.isInRange(cname) &&
        repeats(preview, cname),
    );
  }

  /** Adds columns that the table has beside those of the stored lookup. */
  addColumns(preview: TablePreview): void {
    const stored = this.attributes;
    const has = (cname: string) => preview.columns.some((column) => column.cname === cname);
    this.tableColumns = [
      ...preview.columns,
      ...this.tableColumns.filter(({ cname }) => !has(cname)),
    ];
    this.attributes = chosenFirst([
      ...this.attributesOf(preview, this.name, () => false).map((attribute) => ({
        ...attribute,
        ...stored.find(({ cname }) => cname === attribute.cname),
        example: attribute.example,
      })),
      ...stored.filter(({ cname }) => !has(cname)),
    ]);
  }

  /** Adds a key of the first columns that no other key uses. */
  addKey(): void {
    const unused = (names: string[], used: string[]) =>
      names.find((name) => !used.includes(name)) ?? names[0] ?? '';
    this.keys.push({
      column: unused(
        this.selecting.map(({ cname }) => cname),
        this.keys.map(({ column }) => column),
      ),
      from: unused(
        this.tableColumns.map(({ cname }) => cname),
        this.keys.map(({ from }) => from),
      ),
    });
  }

  removeKey(index: number): void {
    this.keys.splice(index, 1);
  }

  /** Adds a conversion of the first measure at the first rate that it has none at, under a name that is free. */
  addConversion(): void {
    const pairs = this.measures.flatMap((measure) => this.rates.map((rate) => ({ measure, rate })));
    const isUsed = ({ measure, rate }: (typeof pairs)[number]) =>
      this.conversions.some((each) => each.measure === measure.cname && each.rate === rate);
    const pair = pairs.find((each) => !isUsed(each)) ?? pairs[0];
    if (!pair) return;
    const { measure, rate } = pair;
    const taken = [...this.taken, ...this.conversions.map(({ label }) => label)];
    const named = `${measure.label || measure.cname}, ${labelOf(rate)}`;
    const label = freeLabel(named, this.name, taken);
    this.conversions.push({ label, measure: measure.cname, rate });
  }

  removeConversion(index: number): void {
    this.conversions.splice(index, 1);
  }

  /** Adds the first and last day between which a row of the table holds; removes them if they are there. */
  toggleRange(): void {
    const [from = '', through = from] = this.days;
    const [date] = this.dates;
    this.range = this.range === null && date ? { column: date.cname, from, through } : null;
  }

  /** Why the lookup cannot be saved; each null if nothing is missing, or until somebody tries. */
  get faults(): Record<'name' | 'keys' | 'attributes' | 'conversions', string | null> {
    const chosen = this.offered.filter(({ isChosen }) => isChosen);
    const missing = (isMissing: boolean, sentence: string) =>
      this.isAsked && isMissing ? sentence : null;
    return {
      name: missing(this.name.trim() === '', 'Enter a name.'),
      keys: missing(
        this.keys.length === 0 && this.range === null,
        'Add the column by which the table is joined.',
      ),
      attributes:
        missing(
          chosen.length + this.conversions.length === 0,
          this.canConvert
            ? 'Choose at least one column, or add a conversion.'
            : 'Choose at least one column.',
        ) ??
        missing(
          chosen.some(({ label }) => label.trim() === ''),
          'Each chosen column needs a name.',
        ),
      conversions: missing(
        this.conversions.some(({ label }) => label.trim() === ''),
        'Each conversion needs a name.',
      ),
    };
  }

  /** Returns the body of the request without the user; null if fields are missing, which {@link faults} names from then on. */
  toRequest(): Required<EditLookupRequest> | null {
    this.isAsked = true;
    if (this.table === null || Object.values(this.faults).some((fault) => fault !== null))
      return null;
    const { schema, tname } = this.table;
    return {
      ...{ name: this.name.trim(), schema, tname },
      keys: this.keys.map(({ column, from }) => ({ column, from })),
      range: this.range && { ...this.range },
      attributes: this.offered
        .filter(({ isChosen }) => isChosen)
        .map(({ cname, label, orderBy }) => ({
          ...{ cname, label: label.trim(), order_by: orderBy || null },
        })),
      conversions: this.conversions.map(({ label, measure, rate }) => ({
        ...{ label: label.trim(), measure, rate },
      })),
    };
  }

  /** Returns the columns of a table as attributes, chosen ones first. @param before begins labels that are taken */
  private attributesOf(
    preview: TablePreview,
    before: string,
    isChosen: (cname: string) => boolean,
  ): AttributeDraft[] {
    const { taken, isCalendar } = this;
    const attributes = preview.columns.map(({ cname }) => {
      const named = (isCalendar && CALENDAR_LABELS[cname]) || labelOf(cname);
      const label = freeLabel(named, before, taken);
      taken.push(label);
      return {
        ...{ cname, label, isChosen: isChosen(cname) },
        example: examplesOf(preview, cname),
        orderBy: (isCalendar && CALENDAR_ORDER[cname]) || '',
      };
    });
    return chosenFirst(attributes);
  }

  private isInRange(cname: string): boolean {
    return this.range !== null && [this.range.from, this.range.through].includes(cname);
  }
}

const isNumber = (type: string) =>
  /^(smallint|integer|bigint|numeric|real|double precision)/.test(type);

/** Puts chosen attributes first, so that they are seen without scrolling. */
const chosenFirst = (attributes: readonly AttributeDraft[]): AttributeDraft[] =>
  attributes.toSorted((a, b) => Number(b.isChosen) - Number(a.isChosen));

const EXAMPLES = 3;

const examplesOf = (preview: TablePreview, cname: string): string =>
  [...new Set(textsOf(preview, cname))].slice(0, EXAMPLES).join(' · ');

/** Returns the columns of a lookup's keys and days that a display grain lacks; none without a grain. */
export function missingInGrain(
  lookup: Pick<Lookup, 'keys' | 'range'>,
  columns: readonly ColumnEntry[],
): string[] {
  const grain = columns.filter(({ in_grain }) => in_grain).map(({ cname }) => cname);
  if (grain.length === 0) return [];
  return joiningColumns(lookup).filter((name) => !grain.includes(name));
}
