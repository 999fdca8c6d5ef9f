import * as api from '../client/api';
import { ApiError } from '../client/api';
import type { ReadCell } from '../pivot/cell';
import { tidy } from '../pivot/cell-value';
import { unmarkedDimensions } from '../pivot/slice';
import type { Changes, Written } from './changes.svelte';
import type { Locks } from './locks.svelte';
import type { Operation } from './operation';
import type { PlannedVersion } from './planned-version.svelte';
import type { Selection } from './selection.svelte';
import { decimalsOf, scaleOutcome, whyInProportion } from './scale-draft';
import type { MeasureDraft, MeasureEdit } from './scale-draft';
import { spread } from './spread.svelte';

/**
 * Amounts that are typed into cells. Each is a scale of the cell's slice on the cell's measure. They
 * are written one after the other, in the order in which they were typed, while the planner goes on.
 */
export class CellEntry {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly changes: Changes,
    private readonly locks: Locks,
  ) {}

  /** Why nothing can be typed into a cell; null if an amount can. */
  obstacle(cell: ReadCell): string | null {
    const { planned } = this;
    if (planned.obstacle) return planned.obstacle;
    if (cell.impossible) return cell.impossible;
    const [unmarked] = unmarkedDimensions(cell.slice, planned.columns);
    if (unmarked !== undefined) {
      return `“${planned.labelOf(unmarked)}” may not select rows: this source marks other columns as keys.`;
    }
    const locked = this.locks.obstacle(cell.slice);
    if (locked) return locked;
    if (this.roleOf(cell) === null) return 'This cell shows no amount that could be changed.';
    if (cell.aggregate !== 'sum') return 'This cell shows no sum, so no amount can be shared out.';
    const [beyond] = cell.notHeld;
    return beyond
      ? `A change would reach beyond this cell: “${beyond.text}” selects no rows of an operation.`
      : null;
  }

  /** What an amount would make of the number that a cell shows; null if it can change nothing. */
  meaning(cell: ReadCell, edit: MeasureEdit): MeasureDraft | null {
    const role = this.roleOf(cell);
    if (role === null || Number.isNaN(edit.amount)) return null;
    return this.outcome(role, edit, { [`${role}_total`]: cell.value ?? 0 })[role];
  }

  /**
   * Writes an amount after those that were typed before it, from the total as it is stored by then.
   *
   * @throws ApiError with a sentence if it cannot be written; nothing was written then
   */
  write(cell: ReadCell, edit: MeasureEdit, pf_user: string): Promise<Written> {
    const isEqual = this.isSpreadEqually(edit);
    const written = this.last.then(async () => {
      const { cell: now, operation } = await this.operationOf(cell, edit, isEqual);
      return this.changes.apply(operation, now.slice, pf_user);
    });
    this.last = written.catch(() => undefined);
    return written;
  }

  /**
   * Shows what an amount would do, after those that were typed before it are written.
   *
   * @returns false if something else was selected meanwhile
   * @throws ApiError with a sentence if it cannot be tried
   */
  try(cell: ReadCell, edit: MeasureEdit, pf_user: string): Promise<boolean> {
    const isEqual = this.isSpreadEqually(edit);
    const tried = this.last.then(async () => {
      const { cell: now, operation } = await this.operationOf(cell, edit, isEqual);
      return this.changes.try({ operation, slice: now.slice, cells: [now], pf_user });
    });
    this.last = tried.catch(() => undefined);
    return tried;
  }

  /** Whether an amount is spread in equal parts: the planner's choice, unless it is a percentage. */
  isSpreadEqually(edit: MeasureEdit): boolean {
    const draft = { value: edit, units: null, holdPrice: false };
    return spread.choice === 'equal' && whyInProportion(draft) === null;
  }

  /** Waits until all that was typed is written, or was refused. */
  async settled(): Promise<void> {
    await this.last;
    await this.changes.settled();
  }

  /** The cell as it is now, and the scale that an amount makes of what is stored. */
  private async operationOf(
    typed: ReadCell,
    edit: MeasureEdit,
    isEqual: boolean,
  ): Promise<{ cell: ReadCell; operation: Operation }> {
    await this.changes.settled();
    // Days may have come since it was typed: a month then stands for more of them.
    const cell = await this.selection.cellNow(typed);
    const obstacle = this.obstacle(cell);
    const role = this.roleOf(cell);
    if (obstacle || !role) throw new ApiError(0, obstacle ?? '');
    const totals = await api.previewSlice(this.planned.id, cell.slice);
    if (totals.row_count === 0) throw new ApiError(0, 'There are no rows to change in this cell.');
    const { amounts } = this.outcome(role, edit, totals);
    if (!amounts) {
      throw new ApiError(
        0,
        edit.by === 'percent' && totals[`${role}_total`] === 0
          ? 'This total is 0, and so is any percentage of it. Type an amount.'
          : 'This changes nothing.',
      );
    }
    await this.changes.settled();
    const body = { ...amounts, ...(isEqual && { spread: 'equal' as const }) };
    return { cell, operation: { kind: 'scale', body } };
  }

  private outcome(
    role: 'value' | 'units',
    edit: MeasureEdit,
    totals: { value_total?: number | null; units_total?: number | null },
  ) {
    const { valueColumn, unitsColumn } = this.planned;
    const now = totals[`${role}_total`] ?? 0;
    // As an amount, since the service takes a percentage of what no lock holds alone.
    const asked =
      edit.by === 'percent' && now !== 0
        ? { by: 'change' as const, amount: tidy((now * edit.amount) / 100) }
        : edit;
    const edits = { value: null, units: null, [role]: asked };
    return scaleOutcome(
      { ...edits, holdPrice: false },
      { value_total: totals.value_total ?? null, units_total: totals.units_total ?? null },
      { value: decimalsOf(valueColumn?.type), units: decimalsOf(unitsColumn?.type) },
    );
  }

  private roleOf({ measure }: ReadCell): 'value' | 'units' | null {
    const { valueColumn, unitsColumn } = this.planned;
    if (measure === null) return null;
    if (measure === valueColumn?.cname) return 'value';
    return measure === unitsColumn?.cname ? 'units' : null;
  }
}
