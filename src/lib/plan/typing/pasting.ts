/** Places the text of the clipboard into the marked cells. */
import { rectangleOf } from '../../pivot/grid/cells/block';
import type { MarkedCell } from '../../pivot/slice/cell';
import { placePasted } from './block-edits';
import {
  type Percents,
  type Placing,
  askedBy,
  isGuessed,
  misplacedIn,
  proposalOf,
  readingText,
} from './paste-proposal';
import type { Loading } from '../version/loading.svelte';
import {
  asLabel,
  formatOf,
  isPlainBlock,
  readPastedBlock,
  shortPasted,
  type PastedBlock,
  type Texts,
} from './pasted-block';
import type { DecimalSign, NumberMarks } from '../../numbers/notation';
import { isPercentage } from './pasted-number';
import { MOST_CHANGED } from '../selection/selected-slice';
import type { Selection } from '../selection/selection.svelte';

/** How the planner wants a clipboard to be read. */
export interface Chosen {
  decimal: DecimalSign;
  percents: Percents | null;
}

/** Maximum number of cells of a clipboard that are read. */
const MOST_READ = 20_000;

export const TOO_MANY = `At most ${MOST_CHANGED.toLocaleString()} cells can be changed at once.`;

/** Places pasted blocks into the pivot on screen (docs/decisions/0020-amounts-are-typed-into-cells.md). */
export class Pasting {
  /** @param marks the separators of the browser's language */
  constructor(
    private readonly loading: Loading,
    private readonly selection: Selection,
    private readonly marks: NumberMarks,
  ) {}

  /** Whether all texts are numbers in the browser's format, so that they can be written at once. */
  isPlain(texts: Texts): boolean {
    return countOf(texts) <= MOST_READ && isPlainBlock(texts, this.marks);
  }

  /** Returns how an ambiguous number among texts is read, as a sentence; null if there is none. */
  readingOf(texts: Texts): string | null {
    return readingText(formatOf(texts.flat(), this.marks));
  }

  /**
   * Returns how the texts are placed into the marked cells, or from the only marked one down and to the right.
   * Each number is the new total of its cell.
   *
   * @param chosen what the planner chose, who has to confirm it; null for the likeliest reading
   */
  placing(texts: Texts, chosen: Chosen | null = null): Placing {
    return async (marked) => {
      if (countOf(texts) > MOST_READ) return { refusal: TOO_MANY };
      const rectangle = marked.length > 1 ? rectangleOf(marked) : null;
      const selected = rectangle && {
        rows: rectangle.length,
        columns: rectangle[0]?.length ?? 0,
      };
      const labels = await this.labels();
      const block = readPastedBlock(texts, {
        labels,
        marks: this.marks,
        selected,
        chosen: chosen?.decimal ?? null,
      });
      if (!block.cells.flat().some(({ value }) => value !== null)) {
        return { refusal: noNumberText(texts, block) };
      }
      const [wide, high] = [block.cells[0]?.length ?? 0, block.cells.length];
      let target = marked;
      const [first] = marked;
      if (first && marked.length === 1 && wide * high > 1) {
        if (wide * high > MOST_CHANGED) return { refusal: TOO_MANY };
        const found = await this.selection.blockFrom(first, wide, high);
        if (!found) {
          return {
            refusal: `The ${high} × ${wide} cells of the clipboard do not fit into the pivot from here.`,
          };
        }
        target = found;
      }
      const placed = placePasted(block.cells, target);
      if ('refusal' in placed) return placed;
      const storedAs = (cell: MarkedCell, total: number) =>
        this.selection.reader.storedAs(cell, total);
      const misplaced = this.misplaced(block, target);
      const isAsked = placed.landed.some(
        ({ cell, pasted: { text, value } }) =>
          value !== null && isPercentage(text) && !this.selection.reader.shareShown(cell),
      );
      const percents = isAsked ? (chosen?.percents ?? 'change') : null;
      const proposal = proposalOf(texts, block, placed.landed, storedAs, misplaced, percents);
      const isProposed = chosen !== null || isGuessed(proposal);
      return isProposed ? { proposal } : { asked: askedBy(proposal), pasted: proposal };
    };
  }

  private misplaced({ copied }: PastedBlock, target: readonly MarkedCell[]) {
    const { grid } = this.loading.pivot ?? {};
    const rows = rectangleOf(target);
    if (!grid || !rows) return [];
    return [
      ...misplacedIn(
        copied.rows,
        rows.map(([cell]) => (cell ? grid.headersOf(cell).row : null)),
      ),
      ...misplacedIn(copied.columns, rows[0]?.map((cell) => grid.headersOf(cell).column) ?? []),
    ];
  }

  private async labels() {
    const texts = await this.loading.pivot?.grid.headerTexts();
    return {
      rows: new Set(texts?.rows.map(asLabel)),
      columns: new Set(texts?.columns.map(asLabel)),
    };
  }
}

const countOf = (texts: Texts): number => texts.reduce((sum, row) => sum + row.length, 0);

function noNumberText(texts: Texts, { cells }: PastedBlock): string {
  const filled = texts.flat().filter((text) => asLabel(text) !== '');
  const [first] = filled;
  if (first === undefined) return 'The clipboard has no text.';
  const faults = cells.flat().flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  const why = faults[0] ?? `“${shortPasted(first)}” is not a number.`;
  return filled.length === 1
    ? `${why} Nothing was changed.`
    : `The clipboard has no numbers: ${why} Nothing was changed.`;
}
