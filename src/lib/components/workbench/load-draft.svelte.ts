/** A load while its form is filled in. */
import * as v from 'valibot';
import type { ColumnEntry } from '$lib/contract/columns';
import { FilterOperator, type LoadParams, type LoadPreviewRequest } from '$lib/contract/loads';
import type { Segment } from '$lib/contract/log';
import type { CopyingLoad } from '$lib/contract/operations';
import {
  firstOperator,
  fromFilters,
  isIncomplete,
  valueKindOf,
  toFilters,
  type ConditionDraft,
  type ValueKind,
} from './conditions';
import { formatInterval, NO_OFFSET, parseInterval, type Offset } from '../interval';

export type KeyedCondition = ConditionDraft & { key: number };
type ConditionGroup = { key: number; conditions: KeyedCondition[] };

/** The condition that the log has for a load without filters. */
export const ALL_ROWS = 'TRUE';

const Part = v.nullable(v.number());

/** The form of a new segment as it is stored in the browser. */
const Filled = v.object({
  kind: v.picklist(['baseline', 'reference']),
  mode: v.picklist(['filters', 'sql']),
  groups: v.array(
    v.array(v.object({ cname: v.string(), op: FilterOperator, values: v.array(v.string()) })),
  ),
  sql: v.string(),
  offset: v.object({ years: Part, months: Part, days: Part }),
  note: v.string(),
});

/** A segment while its form is filled in: a new one, or a loaded one being edited. */
export class LoadDraft {
  private allColumns: readonly ColumnEntry[];
  private nextKey = 0;

  kind = $state<CopyingLoad>('baseline');
  mode = $state<'filters' | 'sql'>('filters');
  groups = $state<ConditionGroup[]>([]);
  sql = $state('');
  offset = $state<{ [Part in keyof Offset]: number | null }>({ ...NO_OFFSET });
  /** A stored interval with other parts than years, months and days; null otherwise. */
  customOffset = $state<string | null>(null);
  note = $state('');
  /** The log entry being edited; null for a new segment. */
  editing = $state.raw<Segment | null>(null);

  /** The columns available in filters: all but the ignored ones. */
  readonly columns: ColumnEntry[] = $derived.by(() =>
    this.allColumns.filter((column) => column.role !== 'ignore'),
  );
  readonly incomplete: boolean = $derived(
    this.mode === 'filters' &&
      this.groups.some((group) =>
        group.conditions.some((condition) =>
          isIncomplete(condition, this.valueKindOf(condition.cname)),
        ),
      ),
  );
  readonly dateOffset: string = $derived(
    this.customOffset ??
      formatInterval({
        years: this.offset.years ?? 0,
        months: this.offset.months ?? 0,
        days: this.offset.days ?? 0,
      }),
  );
  /** The request of the load; null while the form is incomplete. */
  readonly request: LoadPreviewRequest | null = $derived.by(() => {
    const wholeOffset = Object.values(this.offset).every(
      (part) => part === null || Number.isInteger(part),
    );
    if (this.incomplete || !wholeOffset) return null;
    const rows =
      this.mode === 'sql' && this.sql.trim() !== ''
        ? { raw_where: this.sql }
        : {
            filters:
              this.mode === 'sql'
                ? []
                : toFilters(
                    this.groups.map((group) => group.conditions),
                    (cname) => this.valueKindOf(cname),
                  ),
          };
    return { ...rows, date_offset: this.dateOffset };
  });

  constructor(columns: readonly ColumnEntry[]) {
    this.allColumns = columns;
  }

  valueKindOf(cname: string): ValueKind {
    return valueKindOf(this.allColumns.find((column) => column.cname === cname)?.type ?? null);
  }

  /** The form as text; null while a segment is edited. */
  get filled(): string | null {
    if (this.editing) return null;
    const { kind, mode, sql, offset, note } = this;
    const groups = this.groups.map(({ conditions }) =>
      conditions.map(({ cname, op, values }) => ({ cname, op, values })),
    );
    const filled: v.InferOutput<typeof Filled> = { kind, mode, groups, sql, offset, note };
    return JSON.stringify(filled);
  }

  /** Fills the form with what {@link filled} wrote; ignores anything else. */
  fill(filled: unknown): void {
    const { success, output } = v.safeParse(Filled, filled);
    if (!success) return;
    const { groups, ...fields } = output;
    Object.assign(this, fields);
    this.groups = this.keyed(groups);
  }

  /** Prepares the form for the next segment, which may be similar to the one just loaded. */
  loaded(): void {
    if (this.editing) this.reset();
    this.note = '';
  }

  /** Clears the form for a new segment. */
  reset(): void {
    this.kind = 'baseline';
    this.mode = 'filters';
    this.groups = [];
    this.sql = '';
    this.offset = { ...NO_OFFSET };
    this.customOffset = null;
    this.note = '';
    this.editing = null;
  }

  /** Fills the form with the request that loaded a segment. A forecast has no such form, so it is ignored. */
  edit(segment: Segment): void {
    if (segment.operation === 'forecast') return;
    this.reset();
    this.editing = segment;
    this.kind = segment.operation;
    this.note = segment.note ?? '';
    this.take(segment.params);
  }

  /** Fills in the rows and the offset of a stored load; null fills in all rows at their own dates. */
  take(params: LoadParams | null): void {
    const offset = parseInterval(params?.date_offset ?? '');
    this.offset = offset ?? { ...NO_OFFSET };
    this.customOffset = offset ? null : (params?.date_offset ?? null);
    if (params?.filters) {
      this.groups = this.keyed(fromFilters(params.filters));
      return;
    }
    const { raw_where, where_clause } = params ?? {};
    this.sql = raw_where ?? (where_clause === ALL_ROWS ? '' : (where_clause ?? ''));
    this.mode = this.sql === '' ? 'filters' : 'sql';
  }

  addGroup(): void {
    const group: ConditionGroup = { key: this.key(), conditions: [] };
    this.groups.push(group);
    this.addCondition(this.groups.length - 1);
  }

  addCondition(group: number): void {
    const column = this.columns[0];
    if (!column) return;
    this.groups[group]?.conditions.push({
      key: this.key(),
      cname: column.cname,
      op: firstOperator(valueKindOf(column.type)),
      values: [],
    });
  }

  /** Removes a condition, and its group if it was the last one. */
  removeCondition(group: number, condition: number): void {
    const conditions = this.groups[group]?.conditions;
    conditions?.splice(condition, 1);
    if (conditions?.length === 0) this.groups.splice(group, 1);
  }

  private keyed(groups: readonly (readonly ConditionDraft[])[]): ConditionGroup[] {
    return groups.map((conditions) => ({
      key: this.key(),
      conditions: conditions.map((condition) => ({ ...condition, key: this.key() })),
    }));
  }

  private key(): number {
    return (this.nextKey += 1);
  }
}
