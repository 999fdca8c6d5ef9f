/** The contents of the forms of the panel as the browser stores them. */
import * as v from 'valibot';
import { SLICE_OPERATIONS } from '../../contract/operations';
import { StoredEdits } from './measure-edits.svelte';
import { PINNABLE } from './next-settings.svelte';

/** Schema of the stored contents; they are written by `OperationDraft.filled`. */
export const FilledForm = v.object({
  kind: v.picklist(SLICE_OPERATIONS),
  ...StoredEdits,
  holdPrice: v.boolean(),
  keepTotal: v.optional(v.boolean(), false),
  spread: v.optional(v.picklist(['proportional', 'equal'])),
  pinned: v.optional(v.array(v.picklist(PINNABLE)), []),
  factor: v.nullable(v.number()),
  share: v.nullable(v.number()),
  periods: v.optional(
    v.array(
      v.object({
        from: v.nullable(v.string()),
        to: v.nullable(v.string()),
        factor: v.nullable(v.number()),
      }),
    ),
    [],
  ),
  note: v.string(),
  shift: v.record(v.string(), v.string()),
  set: v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()]))),
});

/** Whether stored contents have an amount, a new value, an interval, a factor or a note. */
export function hasContents(filled: string): boolean {
  const { success, output } = v.safeParse(FilledForm, JSON.parse(filled));
  if (!success) return false;
  const { value, units, note, factor, share } = output;
  const lists = [output.further, output.set, output.shift, output.periods].map(Object.keys);
  return (
    value !== null ||
    units !== null ||
    note !== '' ||
    factor !== 1 ||
    share !== 1 ||
    lists.some((keys) => keys.length > 0)
  );
}

/** The stored contents of the forms of a recode and a clone. */
export type FilledMovement = Pick<
  v.InferOutput<typeof FilledForm>,
  'set' | 'shift' | 'factor' | 'share' | 'periods'
>;
