/** The amounts in the form of a scale, by measure. */
import * as v from 'valibot';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { MeasureEdit } from '../amounts/scale-draft';

/** An edit, and the slice that was selected when it was typed. */
const TypedEdit = v.object({
  slice: v.string(),
  edit: v.object({ by: v.picklist(['total', 'change', 'percent']), amount: v.number() }),
});
type EditForSlice = { slice: string; edit: MeasureEdit };

/** Schema of the edits as the browser stores them: `value`, `units`, and further measures by column. */
export const StoredEdits = {
  value: v.nullable(TypedEdit),
  units: v.nullable(TypedEdit),
  further: v.optional(v.record(v.string(), TypedEdit), {}),
  following: v.optional(v.array(v.string()), []),
};

/** The measures whose totals are reshaped, and the slice that was selected when they were chosen. */
interface ReshapedForSlice {
  keys: readonly string[];
  slice: string;
}

/** The edits of the measures by key, each typed for a slice, and what else the form says about single measures. */
export class MeasureEdits {
  private readonly typed = new SvelteMap<string, EditForSlice>();
  /** The measures whose present totals are to have the shape. */
  private reshaped = $state.raw<ReshapedForSlice | null>(null);
  /** The measures that follow the percentage of value. */
  private readonly followers = new SvelteSet<string>();

  /** @param sliceKey returns the text of the selected slice */
  constructor(private readonly sliceKey: () => string) {}

  /** Returns a total or a change only for the cells that it was typed for. A percentage fits any cells. */
  of(key: string): MeasureEdit | null {
    const typed = this.typed.get(key);
    if (!typed) return null;
    const fits = typed.edit.by === 'percent' || typed.slice === this.sliceKey();
    return fits ? typed.edit : null;
  }

  set(key: string, edit: MeasureEdit | null): void {
    if (edit) this.typed.set(key, { edit, slice: this.sliceKey() });
    else this.typed.delete(key);
  }

  /** Returns whether a measure follows the percentage of value, since nothing is typed into its fields. */
  isFollowing(key: string): boolean {
    return this.followers.has(key) && this.of(key) === null;
  }

  follow(key: string, isFollowing: boolean): void {
    if (!isFollowing) this.followers.delete(key);
    else {
      this.followers.add(key);
      this.typed.delete(key);
    }
  }

  /** Lets these measures follow the percentage of value, and no others. */
  followOnly(keys: readonly string[]): void {
    this.followers.clear();
    for (const key of keys) this.followers.add(key);
  }

  /** Whether the present total of a measure is to have the shape, since nothing is typed into its fields. */
  isReshaped(key: string): boolean {
    const { reshaped } = this;
    const isMeant = reshaped?.slice === this.sliceKey() && reshaped.keys.includes(key);
    return isMeant && this.of(key) === null;
  }

  reshape(key: string, isReshaped: boolean): void {
    const slice = this.sliceKey();
    const before = this.reshaped?.slice === slice ? this.reshaped.keys : [];
    const others = before.filter((each) => each !== key);
    this.reshaped = { keys: isReshaped ? [...others, key] : others, slice };
  }

  /** The edits as the browser stores them. */
  get stored(): v.InferInput<v.ObjectSchema<typeof StoredEdits, undefined>> {
    const readable = [...this.typed].filter(([, { edit }]) => !Number.isNaN(edit.amount));
    const { value = null, units = null, ...further } = Object.fromEntries(readable);
    return { value, units, further, following: [...this.followers] };
  }

  /** Replaces the edits by stored ones. */
  fill({ value, units, further, following }: StoredOutput): void {
    this.typed.clear();
    for (const [key, typed] of Object.entries({ ...further, value, units }))
      if (typed) this.typed.set(key, typed);
    this.followOnly(following);
  }

  /** Returns a function that removes the edits, except for those that were typed since. */
  clearingAfter(): () => void {
    const [typed, { reshaped }] = [[...this.typed], this];
    return () => {
      for (const [key, edit] of typed) if (this.typed.get(key) === edit) this.typed.delete(key);
      if (this.reshaped === reshaped) this.reshaped = null;
    };
  }
}

type StoredOutput = v.InferOutput<v.ObjectSchema<typeof StoredEdits, undefined>>;
