/** A pasted block that the planner confirms first, because something in it was guessed. */
import { movePoint } from '../../contract/decimals';
import type { MeasureEdit } from '../amounts/scale-draft';
import { isPercentage } from './pasted-number';
import { cellKey, type CellIdentity, type MarkedCell } from '../../pivot/slice/cell';
import type { Asked, Landed } from './block-edits';
import { isDash, type DecimalSign } from '../../numbers/notation';
import { asLabel, type PastedBlock, type PastedFormat, type Texts } from './pasted-block';

/** A cell of the pivot, and what a paste does to it. */
export interface ProposedCell {
  cell: MarkedCell;
  /** The text of the clipboard. */
  text: string;
  /** The new total, as its column stores it; null if the cell stays as it is. */
  after: number | null;
  /** The percentage by which the amount changes; null for a new total. */
  percent: number | null;
  /** Whether the text has more decimals than the column. */
  isRounded: boolean;
  /** Why the text does not fit, as a sentence; null for a number and for a blank. */
  fault: string | null;
}

/** What a number with a percent sign means: `10%` raises the amount by a tenth, or is the number 0.10. */
export type Percents = 'change' | 'number';

/** A pasted block with its cells in the pivot. */
export interface Proposal {
  /** The clipboard, to read it again in another format. */
  texts: Texts;
  block: PastedBlock;
  cells: readonly ProposedCell[];
  /** How numbers with a percent sign were read; null if there are none, or if their cells show shares. */
  percents: Percents | null;
  /** Copied labels that are missing in the headers of the row or column in which their numbers land. */
  misplaced: readonly Misplaced[];
}

/**
 * The edits of the marked cells, a block to be confirmed, or a sentence that says why there are none. `pasted` is
 * proposed if only some of the edits can be written.
 */
export type Placed =
  { asked: Asked[]; pasted?: Proposal } | { proposal: Proposal } | { refusal: string };

/** Places amounts into the marked cells. */
export type Placing = (marked: readonly MarkedCell[]) => Placed | Promise<Placed>;

interface Misplaced {
  label: string;
  /** The header of the row or column in which the numbers land. */
  header: string;
}

/**
 * Returns the copied labels that are missing in the headers of their rows or columns.
 *
 * @param copied the labels of each row or column
 * @param headers such as "Furniture / Chairs"; null for a cell without one
 */
export const misplacedIn = (
  copied: readonly (readonly string[])[],
  headers: readonly (string | null)[],
): Misplaced[] =>
  copied.flatMap((labels, i) => {
    const header = headers[i];
    if (header == null) return [];
    const parts = [header, ...header.split(' / ')].map(asLabel);
    return labels
      .filter((label) => !parts.includes(asLabel(label)))
      .map((label) => ({ label, header }));
  });

/**
 * Returns the proposal of a block whose cells have landed in the pivot.
 *
 * @param storedAs rounds a new total of a cell to the decimals of its column
 * @param percents how numbers with a percent sign are read, for the planner to confirm; null for no question
 */
export const proposalOf = (
  texts: Texts,
  block: PastedBlock,
  landed: readonly Landed[],
  storedAs: (cell: MarkedCell, total: number) => number,
  misplaced: readonly Misplaced[] = [],
  percents: Percents | null = null,
): Proposal => ({
  texts,
  block,
  misplaced,
  percents,
  cells: landed.map(({ cell, pasted: { text, value, fault } }) => {
    if (value !== null && percents === 'change' && isPercentage(text)) {
      const after = storedAs(cell, (cell.value ?? 0) * (1 + value));
      return { cell, text, after, percent: movePoint(value, 2), isRounded: false, fault: null };
    }
    const after = value === null ? null : storedAs(cell, value);
    const lost = Math.abs((after ?? 0) - (value ?? 0));
    // A spreadsheet may copy the floating-point error of a sum, which is no decimal.
    const isRounded = lost > 1e-9 * Math.max(1, Math.abs(value ?? 0));
    return { cell, text, after, percent: null, isRounded, fault: fault ?? null };
  }),
});

/** Whether something in a block was guessed, so that the planner has to confirm it. */
export const isGuessed = ({ block: { format, skipped }, cells, percents }: Proposal): boolean =>
  percents !== null ||
  format.isForeign ||
  skipped.rows + skipped.columns > 0 ||
  cells.some(({ after, text, isRounded }) => after === null || isRounded || isDash(text));

/** The edits of the cells that get a number. */
export const askedBy = ({ cells }: Pick<Proposal, 'cells'>): Asked[] =>
  cells.flatMap(({ cell, text, after, percent }): Asked[] => {
    if (after === null) return [];
    const edit: MeasureEdit =
      percent === null ? { by: 'total', amount: after } : { by: 'percent', amount: percent };
    return [{ cell, text, edit }];
  });

/**
 * Returns a proposal without the numbers of cells that cannot take them.
 *
 * @param found cells, each with the reason; null for one that can
 */
export function withFaults(
  proposal: Proposal,
  found: readonly (readonly [cell: CellIdentity, why: string | null])[],
): Proposal {
  const faults = new Map(found.map(([cell, why]) => [cellKey(cell), why]));
  const cells = proposal.cells.map((each): ProposedCell => {
    const fault = each.fault ?? faults.get(cellKey(each.cell)) ?? null;
    return fault === null ? each : { ...each, fault, after: null, isRounded: false };
  });
  return { ...proposal, cells };
}

/** Returns a number with its noun. */
type Plural = (count: number, noun: string, nouns?: string) => string;

const SIGN: Readonly<Record<DecimalSign, string>> = { '.': 'point', ',': 'comma' };

/**
 * Returns how an ambiguous number was read, as a sentence; null if none of the block is ambiguous. A text that
 * has both readings has one separator, a point or a comma.
 */
export function readingText({ ambiguous, decimal }: PastedFormat): string | null {
  if (ambiguous === null) return null;
  const sign = /(?<=\d)\.(?=\d)/.test(ambiguous) ? '.' : ',';
  const meaning = sign === decimal ? 'the decimal sign' : 'a thousands separator';
  return `The ${SIGN[sign]} in “${ambiguous.trim()}” was read as ${meaning}.`;
}

/** Maximum number of reasons that are written out. */
const MOST_REASONS = 3;

/**
 * Returns a sentence for each guess about a block.
 *
 * @param print formats a number
 */
export function guessTexts(
  { block: { format, skipped }, cells, misplaced, percents }: Proposal,
  plural: Plural,
  print: (value: number) => string,
): string[] {
  const texts: (string | null)[] = [];
  const example = cells.find(({ after, text }) => after !== null && /[.,]/.test(text));
  if (format.ambiguous !== null) texts.push(readingText(format));
  else if (format.isForeign && example && example.after !== null)
    texts.push(
      `The numbers have a decimal ${SIGN[format.decimal]}: “${example.text.trim()}” is ${print(example.after)}.`,
    );
  const share = cells.find(({ after, text }) => after !== null && isPercentage(text));
  if (percents !== null && share)
    texts.push(
      percents === 'change'
        ? `“${share.text.trim()}” was read as a change of the amount.`
        : `“${share.text.trim()}” was read as the number ${print(share.after ?? 0)}.`,
    );
  const headings = (['rows', 'columns'] as const).flatMap((way) =>
    skipped[way] > 0 ? [plural(skipped[way], way.slice(0, -1))] : [],
  );
  if (headings.length > 0) texts.push(`Headings are skipped: ${headings.join(' and ')}.`);
  const [stray, ...others] = misplaced;
  if (stray)
    texts.push(
      `Copied from elsewhere: the numbers of “${stray.label.trim()}” land in ${stray.header}${others.length > 0 ? `, and ${others.length} more` : ''}.`,
    );
  const dashes = cells.filter(({ after, text }) => after === 0 && isDash(text)).length;
  if (dashes > 0)
    texts.push(`Read as 0: ${plural(dashes, 'accounting dash', 'accounting dashes')}.`);
  const [rounded, ...more] = cells.filter(({ isRounded }) => isRounded);
  if (rounded && rounded.after !== null)
    texts.push(
      `Rounded to the decimals of the column: “${rounded.text.trim()}” to ${print(rounded.after)}${more.length > 0 ? `, and ${more.length} more` : ''}.`,
    );
  const blanks = cells.filter(({ after, fault }) => after === null && fault === null).length;
  if (blanks > 0) texts.push(`Left as they are: ${plural(blanks, 'blank cell')}.`);
  return texts.filter((text) => text !== null);
}

/** Returns the number of cells that do not fit, with the reasons; null if all fit. */
export function faultText({ cells }: Proposal, plural: Plural): string | null {
  const faults = cells.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  if (faults.length === 0) return null;
  const reasons = [...new Set(faults)];
  const more = reasons.length - MOST_REASONS;
  return [
    `Not written: ${plural(faults.length, 'cell')} that ${faults.length === 1 ? 'does' : 'do'} not fit.`,
    ...reasons.slice(0, MOST_REASONS),
    ...(more > 0 ? [`And ${plural(more, 'more reason')}.`] : []),
  ].join(' ');
}
