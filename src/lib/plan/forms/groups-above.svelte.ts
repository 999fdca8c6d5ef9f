/** Reads the groups above cells, for scales that keep their totals. */
import { ApiError } from '../../client/http';
import { Latest } from '../../client/latest.svelte';
import type { Slice } from '../../contract/slices';
import type { CellIdentity } from '../../pivot/slice/cell';
import type { Caution } from '../amounts/caution';
import type { CellReader } from '../selection/cell-reader';
import {
  GROUP_NOT_READ,
  type FoundAbove,
  keptCaution,
  NO_GROUP_ABOVE,
  pathAbove,
  whyNotKept,
} from '../amounts/group-above';
import type { Drafts } from '../amounts/scale-draft';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { selectedSlice } from '../selection/selected-slice';

/** The group above the cells that are about to be changed; it is read from the pivot and from the service. */
export class GroupsAbove {
  private readonly found = new Latest<{ key: string; above: FoundAbove }>();

  constructor(
    private readonly planned: PlannedVersion,
    private readonly reader: CellReader,
  ) {}

  /**
   * Reads the group above some cells.
   *
   * @param slice the rows of the cells
   * @throws ApiError if the request fails
   */
  async read(
    cells: readonly CellIdentity[],
    slice: Slice,
    signal?: AbortSignal,
  ): Promise<FoundAbove> {
    const path = pathAbove(cells);
    if (!path) return { problem: NO_GROUP_ABOVE };
    const read = await Promise.all(
      cells.map(({ columnPath, measure, ...cell }) =>
        this.reader.look({ rowPath: path, columnPath, measure }, { ...cell, columnPath, measure }),
      ),
    );
    const above = read.filter((cell) => cell !== null);
    const selected = selectedSlice(above, this.planned.columns);
    const isExact =
      above.length === read.length && selected?.notHeld.length === 0 && !selected.impossible;
    if (!isExact) return { problem: GROUP_NOT_READ };
    const keep = selected.slice;
    const rows = await this.planned.readSlice(keep, signal, false, [slice]);
    return { keep, rows };
  }

  /**
   * Returns the group above a cell whose total a change of the cell keeps, and the warning to confirm.
   *
   * @throws ApiError with a sentence if its total cannot be kept
   */
  async keptBy(
    cell: CellIdentity,
    slice: Slice,
    changes: Drafts,
    signal?: AbortSignal,
  ): Promise<{ keep: Slice; caution: Caution | null }> {
    const above = await this.read([cell], slice, signal);
    const why = whyNotKept(above, changes);
    if ('problem' in above || why !== null) throw new ApiError(0, why ?? GROUP_NOT_READ);
    return { keep: above.keep, caution: keptCaution(above, changes) };
  }

  /** Asks for {@link of} some cells. */
  ask(cells: readonly CellIdentity[], slice: Slice): void {
    const key = JSON.stringify(slice);
    this.found.ask(async (signal) => ({ key, above: await this.read(cells, slice, signal) }));
  }

  /** Returns the answer for a slice; null while it is unknown. */
  of(slice: Slice): FoundAbove | null {
    const { waiting, answer, failure } = this.found;
    if (waiting) return null;
    if (failure !== null) return { problem: failure };
    return answer?.key === JSON.stringify(slice) ? answer.above : null;
  }

  clear(): void {
    this.found.clear();
  }
}
