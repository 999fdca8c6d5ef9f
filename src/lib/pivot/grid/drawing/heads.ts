/** The column headers of the grid. */
import { pathKey } from '../../slice/cell';
import type { CellValue } from '../../values/engine-types';
import type { DrawnColumn } from '../cells/grid-columns';
import { commonUnit, unitText, type ColumnFormat } from '../../values/column-format';
import { headLines, isBelow, nameOfPart } from './head-lines';
import { label } from '../../values/labels';
import type { Shown } from '../shown/shown';

export const TOTAL = 'Total';
/** Header of the row that adds up all rows. */
export const TOTAL_ROW = 'TOTAL';
/** Placeholder for ambiguous values. */
const UNKNOWN = '…';

/**
 * Returns the header texts of a column: one per split column and the label of the measure; empty below a closed
 * group.
 */
export function headParts(
  column: DrawnColumn,
  shown: Pick<Shown, 'reader' | 'styleOf' | 'labelOf'>,
): string[] {
  return [...groupParts(column, shown), shown.labelOf(column.measure)];
}

/** Returns the header texts of a column above the measure: one per split column. */
export function groupParts(
  { path }: DrawnColumn,
  shown: Pick<Shown, 'reader' | 'styleOf'>,
): string[] {
  const { split_by = [] } = shown.reader?.config ?? {};
  return split_by.map((name, level) => partAt(path, level, shown.styleOf(name)));
}

function partAt(
  path: readonly CellValue[] | null,
  level: number,
  style: Parameters<typeof label>[1],
): string {
  if (!path) return UNKNOWN;
  if (level < path.length) return label(path[level] ?? null, style);
  return level === path.length ? TOTAL : '';
}

/**
 * The headers of the columns as elements. Columns of a group share an element, so that the table draws one
 * header.
 */
export class Heads {
  private elements = new Map<string, HTMLElement>();
  /** The measure of which all others are parts; null if there is none, or if it is not shown. */
  private whole: string | null = null;
  /** The unit of all amounts, which stands in the corner of the grid; null if each header has its own. */
  commonUnit: string | null = null;

  /** @param formatOf the format of a measure */
  constructor(
    private readonly shown: Shown,
    private readonly formatOf: (measure: string) => ColumnFormat,
  ) {}

  /**
   * Clears the cached elements after groups were opened or closed, or the columns have changed.
   *
   * @param hasCorner whether the grid has row headers, and a corner above them
   */
  follow(hasCorner: boolean): void {
    const { shown } = this;
    const measures = [...new Set(shown.columns.map(({ measure }) => measure))];
    const [whole, ...others] = new Set(measures.map((each) => shown.wholeOf(each) ?? each));
    const isWhole = whole !== undefined && others.length === 0 && measures.includes(whole);
    this.whole = isWhole ? whole : null;
    this.commonUnit = hasCorner ? commonUnit(measures.map(this.formatOf)) : null;
    this.elements.clear();
  }

  /** Whether a header has two lines. */
  get areTall(): boolean {
    return this.shown.columns.some(({ measure }) => {
      const lines = this.linesOf(measure);
      return lines.length > 1 || isBelow(this.unitOf(measure), lines);
    });
  }

  /** Returns the unit in the header of a measure; null if it has none, or if it stands in the corner of the grid. */
  private unitOf(measure: string): string | null {
    const unit = unitText(this.formatOf(measure));
    return unit === this.commonUnit ? null : unit;
  }

  private linesOf(measure: string): readonly string[] {
    const { whole, shown } = this;
    const label = shown.labelOf(measure);
    return headLines(whole === null ? label : nameOfPart(label, shown.labelOf(whole)));
  }

  /** Returns the headers of a column, from the outermost to the innermost. @param x position of the column */
  of(column: DrawnColumn, x: number): HTMLElement[] {
    const { path, isClosed } = column;
    const { split_by = [], group_by = [] } = this.shown.reader?.config ?? {};
    const texts = headParts(column, this.shown);
    return texts.map((text, level) => {
      const group = path?.slice(0, level + 1) ?? [];
      const isMeasure = level === texts.length - 1;
      const isOfGroup = !isMeasure && path !== null && level < path.length;
      const key = JSON.stringify(
        isOfGroup ? [level, pathKey(group)] : isMeasure || !path ? [level, x] : [level, 'of', path],
      );
      const isTop = isClosed && level === group.length - 1 && group.length === path?.length;
      // An ungrouped view has nothing to add up.
      const hasToggle = isOfGroup && level < split_by.length - 1 && group_by.length > 0;
      const unit = isMeasure ? this.unitOf(column.measure) : null;
      const lines = isMeasure ? this.linesOf(column.measure) : [text];
      const head = this.element(key, lines, hasToggle ? !isTop : null, unit);
      // Several columns may have the same label.
      if (isMeasure && lines.join('') !== column.measure) head.dataset.measure = column.measure;
      const full = unit === null ? text : `${text} ${unit}`;
      if (lines.join('') !== full) head.title = full;
      return head;
    });
  }

  /** @param isOpen null for a header without a toggle */
  private element(
    key: string,
    lines: readonly string[],
    isOpen: boolean | null,
    unit: string | null,
  ): HTMLElement {
    const known = this.elements.get(key);
    if (known) return known;
    const made = span('pf-head');
    if (isOpen !== null) made.append(toggle(lines.join(''), isOpen));
    const [first = ''] = lines;
    const all = isBelow(unit, lines) ? [first, ''] : lines;
    made.append(...(all.length > 1 ? all.map((line) => span('pf-line', line)) : all));
    if (unit !== null)
      (made.querySelector('.pf-line:last-child') ?? made).append(span('pf-unit', ` ${unit}`));
    this.elements.set(key, made);
    return made;
  }
}

function span(className: string, text = ''): HTMLElement {
  const made = document.createElement('span');
  made.className = className;
  made.append(text);
  return made;
}

/**
 * Creates the button that opens or closes a group of columns. It takes no focus, because the keyboard has its
 * own key for this.
 */
function toggle(text: string, isOpen: boolean): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.tabIndex = -1;
  button.className = 'pf-toggle';
  button.setAttribute('aria-expanded', String(isOpen));
  button.setAttribute('aria-label', `${isOpen ? 'Close' : 'Open'} ${text}`);
  return button;
}
