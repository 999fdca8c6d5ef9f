/** Writes amounts into many cells as one log entry. */
import type { SlicePreview } from '../../contract/previews';
import { ApiError } from '../../client/http';
import type { ScaleEdit } from '../../contract/operations';
import {
  type CellIdentity,
  hasOtherMembers,
  type MarkedCell,
  type ReadCell,
} from '../../pivot/slice/cell';
import type { FillDirection } from '../../pivot/grid/cells/block';
import {
  isUnchanged,
  placeFilled,
  problemsOf,
  problemText,
  type Asked,
  type IsFilledFrom,
} from './block-edits';
import { type Placing, type Placed, askedBy, withFaults, type Proposal } from './paste-proposal';
import { isFormula, isPrice } from '../selection/cell-reader';
import { needsMonths } from '../amounts/shape';
import type { Remedy } from './remedy';
import type { Typing } from './typing';
import type { UnsavedWrite } from './unsaved.svelte';
import type { Changes, Written } from '../changes/changes.svelte';
import { ONE_CELL_KEEPS } from '../amounts/group-above';
import { pivotMessageOf } from '../version/loading.svelte';
import { hasOverlap } from '../amounts/marked-sums';
import { TOO_MANY } from './pasting';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { NOTHING_OF_ZERO, OTHER_GROUPS, whyReadOnly } from '../amounts/refusals';
import type { MeasureEdit } from '../amounts/scale-draft';
import { MOST_CHANGED } from '../selection/selected-slice';
import type { Selection } from '../selection/selection.svelte';
import { noteOf, type OperationRequest, type WriteSettings } from '../amounts/operation';

const OVERLAP =
  'The selection contains a total and parts of it. Select either the total or the parts.';
const PRICE_AND_OTHERS =
  'Prices and amounts cannot be changed together. Select only prices, or no prices.';
const FORMULA_AND_OTHERS =
  'The result of a formula changes a measure, so it cannot be changed together with other cells. Select cells of one formula only, or none.';
const CONVERSION_AND_OTHERS =
  'A conversion changes the measure that it is made of, so it cannot be changed together with other cells. Select cells of one conversion only, or none.';
const HELD_TOGETHER =
  'The price is held, so value and units change together. Select cells of only one of them.';
const CANCELS =
  'The rows of this cell cancel each other out. Type into this cell alone to see the effect and to confirm it.';
const ONE_SHARE =
  'A share is typed into one cell at a time. To change several cells, choose “Show as amount” in the menu of the header.';
const NOTHING_SELECTED = 'Select the cells first.';

/** Cells that were checked, each with the reason why it cannot be written; null if it can. */
type Checked = readonly (readonly [cell: CellIdentity, why: string | null])[];

/** A sentence that says why nothing was written; the page shows it beside the cells. */
class Refusal extends Error {
  /** @param checked the cells that were checked, if the sentence is about some of them */
  constructor(
    message: string,
    readonly checked: Checked = [],
  ) {
    super(message);
  }
}

/** Nothing was written, because the block has to be confirmed first. */
class Guessed extends Error {
  constructor(readonly proposal: Proposal) {
    super('The block has to be confirmed.');
  }
}

/** Number of cells of one request for totals; {@link MOST_CONDITIONS} at most. */
const ASKED_AT_ONCE = 100;
/** The same if the months of the cells are read too, which takes a query for each. */
const ASKED_WITH_MONTHS = 4;

/**
 * Amounts for many cells at once: pasted, filled in or typed. They are one request and one log entry
 * (docs/decisions/0020-amounts-are-typed-into-cells.md). Cells that cannot be written are reported before
 * anything is sent.
 */
export class BlockTyping {
  /** Why the last block was not written, and the key of its selection. */
  private refused = $state.raw<{ key: string; text: string } | null>(null);

  /** Why the last block was not written; null once the selection changes. */
  readonly refusal: string | null = $derived.by(() =>
    this.refused?.key === this.selection.key ? this.refused.text : null,
  );

  /** A button beside {@link refusal} for the next step, such as “Paste again”; null if there is none. */
  remedy = $state.raw<Remedy | null>(null);

  /** The current step of the block that is being written, as a text; null if there is none. */
  progress = $state.raw<string | null>(null);

  /** The pasted block that waits for a confirmation; null if there is none. */
  proposal = $state.raw<Proposal | null>(null);
  /** Whether the clipboard is being read again for {@link proposal}. */
  isReading = $state(false);
  /** Counts the readings of the clipboard; only the answer of the newest one is shown. */
  private readings = 0;

  /** @param print formats a filled-in number as it is typed */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly changes: Changes,
    private readonly typing: Typing,
    private readonly print: (value: number) => string,
  ) {}

  /**
   * Whether nothing can be changed now; if so, {@link refusal} says why.
   *
   * @param remedy a button beside this refusal, and beside that of the change that follows
   */
  isRefused(remedy: Remedy | null = null): boolean {
    this.remedy = remedy;
    const { obstacle } = this.planned;
    if (obstacle) void this.refusePressed(obstacle);
    return obstacle !== null;
  }

  /**
   * Writes a block of the clipboard.
   *
   * @param place see {@link Pasting.placing}
   * @param marked the cells that get the block, even if others are marked when its turn comes
   * @returns null if nothing was written; {@link refusal} then says why, or {@link proposal} waits for an answer
   * @throws ApiError with a sentence if the service refuses it
   */
  paste(
    place: Placing,
    marked: Promise<readonly MarkedCell[]>,
    pf_user: string,
    settings: WriteSettings,
  ): Promise<Written | null> {
    return this.write(pf_user, settings, place, marked);
  }

  /**
   * Shows what a block of the clipboard would do, as {@link proposal}, or why it cannot be written.
   *
   * @param meant the cells that get the block
   * @returns whether nothing in it was guessed, so that it can be written at once
   */
  async propose(place: Placing, meant: Promise<readonly MarkedCell[]>): Promise<boolean> {
    this.refused = null;
    this.isReading = true;
    const reading = ++this.readings;
    const isNewest = () => reading === this.readings;
    try {
      const marked = await meant;
      const placed: Placed =
        marked.length === 0 ? { refusal: NOTHING_SELECTED } : await place(marked);
      if ('asked' in placed) return isNewest();
      if ('refusal' in placed) throw new Refusal(placed.refusal);
      const proposal = await this.checked(placed.proposal);
      if (isNewest()) this.proposal = proposal;
    } catch (error) {
      if (isNewest()) this.refuse(error instanceof Refusal ? error.message : pivotMessageOf(error));
    } finally {
      if (isNewest()) this.isReading = false;
      this.progress = null;
    }
    return false;
  }

  /** Drops the proposal, and the answer of a reading that is in progress. */
  close(): void {
    this.readings++;
    this.isReading = false;
    this.proposal = null;
  }

  /** Writes the numbers of a proposal; see {@link paste}. */
  accept(proposal: Proposal, pf_user: string, settings: WriteSettings): Promise<Written | null> {
    const asked = askedBy(proposal);
    const cells = Promise.resolve(asked.map(({ cell }) => cell));
    const place: Placing = (marked) => ({
      asked: marked.flatMap((cell, i) => (asked[i] ? [{ ...asked[i], cell }] : [])),
    });
    return this.write(pf_user, settings, place, cells);
  }

  /**
   * Fills the block from its first column or row, or from the cells for which `isFrom` holds; see {@link paste}.
   */
  fill(
    direction: FillDirection,
    pf_user: string,
    settings: WriteSettings,
    isFrom?: IsFilledFrom,
  ): Promise<Written | null> {
    return this.write(pf_user, settings, (marked) =>
      placeFilled(marked, direction, this.print, isFrom),
    );
  }

  /** Writes a typed amount into every marked cell; see {@link paste}. */
  enter(
    edit: MeasureEdit,
    text: string,
    pf_user: string,
    settings: WriteSettings,
  ): Promise<Written | null> {
    return this.write(pf_user, settings, (marked) => ({
      asked: marked.map((cell) => ({ cell, edit, text })),
    }));
  }

  /** Refuses the pressed cells. The end of a drag may not be read yet, so it is repeated for the whole block. */
  private async refusePressed(text: string): Promise<void> {
    this.refuse(text);
    await this.selection.markedByNow();
    this.refuse(text);
  }

  private refuse(text: string): void {
    this.refused = { key: this.selection.key, text };
  }

  private async write(
    pf_user: string,
    settings: WriteSettings,
    place: Placing,
    // The block is the cells that are marked now, even if others are marked when its turn comes.
    meant = this.selection.markedByNow(),
  ): Promise<Written | null> {
    this.refused = null;
    const { unsaved } = this.typing;
    const write = unsaved.of([]);
    void this.showUnsaved(write, meant, place);
    let edits: readonly CellEdit[] = [];
    let pasted: Proposal | undefined;
    try {
      return await unsaved.write(write, async (signal) => {
        await this.settled();
        const before = await meant;
        const again = await this.selection.reader.again(before);
        // Rows may have changed since then: a row "Others" must still add up the groups that were meant.
        const marked = again.map((cell, i) => withMembersOf(before[i], cell));
        if (marked.length === 0) throw new Refusal(NOTHING_SELECTED);
        const placed = await place(marked);
        if ('refusal' in placed) throw new Refusal(placed.refusal);
        if ('proposal' in placed) throw new Guessed(placed.proposal);
        pasted = placed.pasted;
        if (hasOverlap(marked) || hasOverlap(placed.asked.map(({ cell }) => cell)))
          throw new Refusal(OVERLAP);
        write.into(placed.asked);
        edits = await this.editsOf(placed.asked, settings, signal);
        await this.settled();
        this.progress = `Writing ${countText(edits.length)} …`;
        return { kind: 'scale', body: bodyOf(edits, pf_user, settings) };
      });
    } catch (error) {
      const proposal = error instanceof Guessed ? error.proposal : fittingPart(pasted, error);
      if (proposal) {
        await this.propose(() => ({ proposal }), meant);
        return null;
      }
      const refusal = blaming(error, edits, (cell) => this.selection.reader.nameOf(cell));
      if (!refusal && error instanceof ApiError) throw error;
      this.refuse(refusal ?? (error instanceof Refusal ? error.message : pivotMessageOf(error)));
      return null;
    } finally {
      this.progress = null;
    }
  }

  /** Marks the cells with their amounts while the write waits for its turn or for the server. */
  private async showUnsaved(
    write: UnsavedWrite,
    meant: Promise<readonly MarkedCell[]>,
    place: Placing,
  ): Promise<void> {
    const placed = await meant.then(place).catch(() => null);
    if (placed && 'asked' in placed) write.into(placed.asked);
  }

  /** Waits for the writes in progress. @throws Refusal if nothing can be changed after them */
  private async settled(): Promise<void> {
    await this.changes.settled();
    if (this.planned.obstacle) throw new Refusal(this.planned.obstacle);
  }

  /**
   * Returns the edits that a request needs. @throws Refusal or ApiError if a cell cannot be edited as asked
   */
  private async editsOf(
    asked: readonly Asked[],
    settings: WriteSettings,
    signal: AbortSignal,
  ): Promise<CellEdit[]> {
    if (settings.keepTotal) throw new Refusal(ONE_CELL_KEEPS);
    const changed = asked.filter((each) => settings.reshape || !isUnchanged(each));
    if (changed.length === 0) throw new Refusal('This changes nothing.');
    if (changed.length > MOST_CHANGED) throw new Refusal(TOO_MANY);
    this.progress = `Reading ${countText(changed.length)} …`;
    const cells = await this.selection.reader.slicesOf(changed.map(({ cell }) => cell));
    const shown = cells.map((cell) => this.selection.reader.shownIn(cell));
    const formula = shown.find(isFormula);
    if (formula && shown.some((shows) => shows !== formula)) {
      if (isPrice(formula)) throw new Refusal(PRICE_AND_OTHERS);
      const isConversion = cells.some(({ measure }) => this.planned.conversionOf(measure ?? ''));
      throw new Refusal(isConversion ? CONVERSION_AND_OTHERS : FORMULA_AND_OTHERS);
    }
    if (settings.holdPrice && shown.includes('value') && shown.includes('units'))
      throw new Refusal(HELD_TOGETHER);
    this.check(cells, (cell, i) => this.whyNot(cell, changed[i]) ?? whyOthers(cell, changed[i]));
    // A typed total stays the total, even if somebody else has written since it was on screen.
    const stored = await this.storedOf(cells, settings.shape, signal);
    // A measure with cells of its own gets the amounts of these cells.
    const follow = settings.follow?.filter((key) => !shown.includes(key));
    const how = { ...settings, ...(follow && { follow }) };
    const amounts = cells.flatMap((cell, i) => {
      const [edit, rows] = [changed[i]?.edit, stored[i]];
      return (edit && rows && this.typing.amounts.of({ cell, edit, stored: rows }, how)) ?? [];
    });
    this.check(amounts, ({ whyNot, caution }) => whyNot ?? (caution && CANCELS));
    const edits = amounts.flatMap(({ cell, scale }) =>
      scale ? [{ cell, body: { slice: cell.slice, ...scale } }] : [],
    );
    if (edits.length === 0) throw new Refusal('This changes nothing.');
    return edits;
  }

  /** Reads the stored rows behind cells, and shows how many are read. @throws ApiError if a request fails */
  private async storedOf(
    cells: readonly ReadCell[],
    shape: WriteSettings['shape'],
    signal?: AbortSignal,
  ): Promise<SlicePreview[]> {
    const stored: SlicePreview[] = [];
    const few = needsMonths(shape) ? ASKED_WITH_MONTHS : ASKED_AT_ONCE;
    for (let from = 0; from < cells.length; from += few) {
      this.progress = `Checking ${from.toLocaleString()} of ${countText(cells.length)} …`;
      stored.push(...(await this.typing.reachAll(cells.slice(from, from + few), shape, signal)));
    }
    return stored;
  }

  /** Returns a proposal without the numbers that its cells cannot take. @throws Refusal if cells overlap */
  private async checked(proposal: Proposal): Promise<Proposal> {
    const asked = askedBy(proposal);
    if (hasOverlap(asked.map(({ cell }) => cell))) throw new Refusal(OVERLAP);
    const changed = asked.filter((each) => !isUnchanged(each));
    const cells = await this.selection.reader.slicesOf(changed.map(({ cell }) => cell));
    // Only the rows of a cell tell whether the user's territories allow its change.
    const stored = this.planned.source.territory ? await this.storedOf(cells, null) : [];
    const why = (cell: ReadCell, i: number) => this.whyNot(cell, changed[i], stored[i]);
    const reasons = cells.map((cell, i) => [cell, why(cell, i)] as const);
    const found = withFaults(proposal, reasons);
    // A preview without numbers has nothing to confirm.
    if (askedBy(found).length === 0) this.check(cells, why);
    return found;
  }

  private whyNot(cell: ReadCell, asked: Asked | undefined, stored?: SlicePreview): string | null {
    if (!asked?.edit) return 'The number is missing.';
    const { amount, by } = asked.edit;
    if (Number.isNaN(amount)) return asked.edit.problem ?? `“${asked.text}” is not a number.`;
    const obstacle = this.typing.obstacle(cell);
    if (obstacle) return obstacle;
    if (this.selection.reader.wayOf(cell)) return ONE_SHARE;
    // An empty conversion may have rows without a rate, which the check of its stored rows says.
    if (cell.value === null && !this.planned.conversionOf(cell.measure ?? ''))
      return 'This cell has no rows yet. Type into this cell alone to choose the rows to copy.';
    if (by === 'percent' && cell.value === 0) return NOTHING_OF_ZERO;
    const shows = this.selection.reader.shownIn(cell);
    return stored && typeof shows === 'string' ? whyReadOnly(stored, [shows]) : null;
  }

  /** Checks all cells. @throws Refusal with the names of the cells that cannot be changed */
  private check<Each extends ReadCell | { cell: ReadCell }>(
    all: readonly Each[],
    why: (each: Each, i: number) => string | null,
  ): void {
    const cellOf = (each: Each): ReadCell => ('cell' in each ? each.cell : each);
    const reasons = all.map((each, i) => [cellOf(each), why(each, i)] as const);
    const problems = problemsOf(
      reasons,
      ([, reason]) => reason,
      ([cell]) => this.selection.reader.nameOf(cell),
    );
    if (problems.length > 0) throw new Refusal(problemText(problems), reasons);
  }
}

/**
 * Returns a pasted block without the cells that were refused; null if no cell is left, or if the refusal is not
 * about single cells.
 */
function fittingPart(pasted: Proposal | undefined, error: unknown): Proposal | null {
  if (!pasted || !(error instanceof Refusal) || error.checked.length === 0) return null;
  const fitting = withFaults(pasted, error.checked);
  return askedBy(fitting).length > 0 ? fitting : null;
}

/** Returns a cell with the groups of another read of it, if it is in a row "Others". */
const withMembersOf = (before: MarkedCell | undefined, cell: MarkedCell): MarkedCell => ({
  ...cell,
  ...(before?.members && { members: before.members }),
});

const whyOthers = (cell: ReadCell, asked: Asked | undefined): string | null =>
  asked && hasOtherMembers(asked.cell, cell) ? OTHER_GROUPS : null;

const countText = (count: number): string =>
  count === 1 ? '1 cell' : `${count.toLocaleString()} cells`;

/** The edit of a cell as it is sent in a request. */
interface CellEdit {
  cell: ReadCell;
  body: ScaleEdit;
}

/** Returns the body that writes all edits as one entry. */
const bodyOf = (
  edits: readonly CellEdit[],
  pf_user: string,
  { note }: WriteSettings,
): OperationRequest['body'] => ({
  edits: edits.map(({ body }) => body),
  ...noteOf(note),
  pf_user,
});

/** Returns the sentence about the cell that the service refuses; null if it refuses no single one. */
function blaming(
  error: unknown,
  edits: readonly CellEdit[],
  nameOf: (cell: CellIdentity) => string,
): string | null {
  const at = error instanceof ApiError && /^edits\.(\d+)/.exec(error.field ?? '')?.[1];
  const blamed = at ? edits[Number(at)] : undefined;
  if (!blamed || !(error instanceof ApiError)) return null;
  const reason = error.message.replace(/^(.*\. )?edits\.\d+: /, '');
  return problemText([{ reason, names: [nameOf(blamed.cell)] }]);
}
