import { SvelteMap } from 'svelte/reactivity';
import type { Scalar } from '../contract/primitives';
import type { MeasureEdit, ScaleOutcome } from './scale-draft';
import { scaleOutcome } from './scale-draft';
import type { ForecastSession, Operation } from './session.svelte';
import { listOf } from './slice';

export type OperationKind = Operation['kind'];

/** What the panel's forms hold before it is applied, and the operation that it makes. */
export class OperationDraft {
  kind = $state<OperationKind>('scale');
  value = $state.raw<MeasureEdit | null>(null);
  units = $state.raw<MeasureEdit | null>(null);
  holdPrice = $state(false);
  factor = $state<number | null>(1);
  note = $state('');
  /** Column → new value; null is the empty value. Columns that keep their value are absent. */
  readonly set = new SvelteMap<string, Scalar | null>();

  constructor(private readonly session: ForecastSession) {}

  readonly outcome = $derived.by<ScaleOutcome | null>(() => {
    const { preview } = this.session;
    const { value, units, holdPrice } = this;
    return preview && scaleOutcome({ value, units, holdPrice }, preview);
  });

  /** The operation as it would be sent; null while the form says nothing to do. */
  readonly operation = $derived.by<Operation | null>(() => {
    const note = this.note.trim() === '' ? {} : { note: this.note };
    const set = Object.fromEntries(this.set);
    switch (this.kind) {
      case 'scale': {
        const amounts = this.outcome?.amounts;
        return amounts ? { kind: 'scale', body: { ...amounts, ...note } } : null;
      }
      case 'recode':
        return this.set.size > 0 ? { kind: 'recode', body: { set, ...note } } : null;
      case 'clone':
        return this.factor === null
          ? null
          : { kind: 'clone', body: { set, scale_factor: this.factor, ...note } };
    }
  });

  /** Why Apply is off; null where it is on. */
  readonly obstacle = $derived.by(() => {
    if (this.session.obstacle) return this.session.obstacle;
    if (this.session.previewFailure) return this.session.previewFailure;
    if (this.session.preview?.row_count === 0)
      return 'There are no rows to change behind this selection.';
    if (this.operation) return null;
    if (this.kind === 'scale') return 'Enter a new total, a change or a percentage.';
    if (this.kind === 'recode') return 'Choose a new value for at least one column.';
    return 'Enter a factor.';
  });

  /** Whether a column's new value is what all of the selection has already. */
  keepsValue(column: string): boolean {
    const from = listOf(this.session.selection?.slice[column]);
    return from.length === 1 && from[0] === this.set.get(column);
  }

  /** Empties the amounts and the note, after they were applied. */
  clear(): void {
    this.value = null;
    this.units = null;
    this.set.clear();
    this.factor = 1;
    this.note = '';
  }
}
