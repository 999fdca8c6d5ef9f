/** The panel's setting that a scale keeps the total of the group above its cells. */
import type { Slice } from '../../contract/slices';
import type { Caution } from '../amounts/caution';
import { type FoundAbove, keptCaution, pathAbove, whyNotKept } from '../amounts/group-above';
import type { Drafts } from '../amounts/scale-draft';
import { GroupsAbove } from './groups-above.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Selection } from '../selection/selection.svelte';

/** Whether the next write keeps the total of the group above its cells, and that group for the selection. */
export class KeptTotal {
  isOn = $state(false);
  private readonly groups: GroupsAbove;

  constructor(
    planned: PlannedVersion,
    private readonly selection: Selection,
  ) {
    this.groups = new GroupsAbove(planned, selection.reader);
  }

  /** The row path above the selected cells; null if they have no common one. */
  get path(): ReturnType<typeof pathAbove> {
    return pathAbove(this.selection.current?.cells ?? []);
  }

  /** The group above the selection, if its total is to be kept; null if it is not, or is not read yet. */
  get above(): FoundAbove | null {
    const slice = this.isOn && this.selection.current?.slice;
    return slice ? this.groups.of(slice) : null;
  }

  /** Asks for {@link above}. */
  ask(): void {
    const { current } = this.selection;
    if (this.isOn && current) this.groups.ask(current.cells, current.slice);
    else this.groups.clear();
  }

  /** Why the total cannot be kept with a change; null if it can, or is not to be kept. */
  whyNot(changes: Drafts | null): string | null {
    if (!this.isOn) return null;
    const { above } = this;
    if (!above) return 'The row above is still being read.';
    if ('problem' in above) return above.problem;
    return changes && whyNotKept(above, changes);
  }

  /** Returns the warning to confirm about the other rows of the group; null if there is none. */
  caution(changes: Drafts): Caution | null {
    const { above } = this;
    return above && keptCaution(above, changes);
  }

  /** The field of the request; empty if no total is to be kept. */
  get field(): { keep?: Slice } {
    const { above } = this;
    return above && 'keep' in above ? { keep: above.keep } : {};
  }
}
