/** The explanation of the selected number. */
import { isResult } from '../../pivot/rows/formula-columns';
import * as api from '../../client/api';
import { Latest } from '../../client/latest.svelte';
import type { Explanation } from '../../contract/log';
import { isLoad, type LogOperation } from '../../contract/operations';
import type { Origin } from '../../pivot/rows/origin-columns';
import type { Loading } from '../version/loading.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { SELECTION_PAUSE_MS, type Selection } from './selection.svelte';
import type { NamedMeasure } from '../amounts/measure-words';
import { waterfall, type Waterfall } from '../amounts/waterfall';

/** A chosen measure, and the measure of the cell that was selected at that time. */
interface WhyChoice {
  key: string;
  measure: string | null;
}

/** Explains the selected number by the contribution of each log entry to the selected slice. */
export class Why {
  /** Whether the panel shows the explanation. */
  isOpen = $state(false);
  /** The service's answer about the slice that was asked about last. */
  readonly latest = new Latest<Explanation>(SELECTION_PAUSE_MS);
  private choice = $state.raw<WhyChoice | null>(null);
  private asked: string | null = null;
  /** The entry whose cells are marked. */
  private shownEntry: number | null = null;

  /** Why the selection cannot be explained; null if it can. */
  readonly obstacle: string | null = $derived.by(() => {
    if (this.selection.showsOther) {
      return 'Only the numbers of this version can be explained. Open the other one to explain its own.';
    }
    return this.selection.inexact;
  });

  /** The waterfall of the selection; null until it is known. */
  readonly waterfall: Waterfall | null = $derived.by(() => {
    const { answer } = this.latest;
    const upTo = this.planned.asOf?.id ?? Infinity;
    const entries = answer?.entries.filter(({ logid }) => logid <= upTo);
    return entries ? waterfall(entries, this.key, this.origin) : null;
  });

  /** The conversions of the answer. */
  private readonly conversions = $derived.by(() => {
    const names = Object.keys(this.latest.answer?.entries[0]?.conversions ?? {});
    return this.planned.shownMeasures.filter(({ key }) => names.includes(key));
  });
  /** The measures and conversions that can be explained. */
  readonly measures: readonly NamedMeasure[] = $derived.by(() => [
    ...this.planned.measures,
    ...this.conversions,
  ]);

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly selection: Selection,
  ) {}

  /** The part of its measure that the selected cell shows; null for the plan. */
  get origin(): Origin | null {
    const { origin } = this.part ?? {};
    return origin === undefined || isResult(origin) ? null : origin;
  }

  /**
   * The key of the measure or the name of the conversion that is explained: that of the selected cell, unless the user
   * chose another one for it. A row header and a formula begin with the first measure, as does a conversion that the
   * service cannot compute now with the measure that it multiplies.
   */
  get key(): string {
    const isExplained = (wanted: string | null) => this.measures.some(({ key }) => key === wanted);
    const { choice } = this;
    if (choice && choice.measure === this.measure && isExplained(choice.key)) return choice.key;
    const measure = this.part?.measure ?? this.measure;
    if (measure !== null && isExplained(measure)) return measure;
    const key = measure === null ? null : this.planned.keyBehind(measure);
    return key ?? this.planned.measureKeys[0] ?? 'value';
  }

  set key(key: string) {
    this.choice = { key, measure: this.measure };
  }

  /** Asks about the selection as it is stored now. Call it again after each change. */
  follow(): void {
    const { current } = this.selection;
    const key = JSON.stringify(current?.slice ?? null);
    // The explanation of another slice must not appear as one of this slice.
    if (key !== this.asked) this.latest.clear();
    this.asked = key;
    if (!current || this.obstacle !== null) return this.latest.clear();
    const { slice } = current;
    this.latest.ask((signal) =>
      api.call('POST /versions/{id}/explain', { id: this.planned.id, body: { slice }, signal }),
    );
  }

  /** The measure of the cell that was selected last; null for a header. */
  private get measure(): string | null {
    return this.selection.active?.measure ?? null;
  }

  private get part() {
    const { measure } = this;
    return measure === null ? null : (this.loading.pivot?.origins.of(measure) ?? null);
  }

  /** Marks the cells in which a log entry wrote an amount. Null marks none, and so does a load, which is in most. */
  showEntry(entry: { id: number; operation: LogOperation } | null): void {
    this.shownEntry = entry?.id ?? null;
    const isMarked = entry !== null && !isLoad(entry.operation);
    void this.loading.pivot?.markEntry(isMarked ? entry.id : null).catch(() => undefined);
  }

  /** Removes the marks of an entry. If another entry is marked now, its marks stay. */
  hideEntry(logid: number): void {
    if (this.shownEntry === logid) this.showEntry(null);
  }
}
