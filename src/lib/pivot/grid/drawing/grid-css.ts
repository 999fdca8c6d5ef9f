/** The styles of the grid. */
import { SIGNS } from '../../values/mark-rules';

/** Height of every row in pixels, unless a browser enlarges its text. */
export const ROW_HEIGHT = 23;

/** Styles of the grid, in the colours of the page in either theme. */
export const GRID_CSS = `
/* What the page draws over the grid, such as its cell editor, is above all layers of the grid. */
:host { isolation: isolate; }
regular-table {
  margin: 12px 0 0 12px;
  color: var(--text);
  font-family: inherit;
  outline: none;
}
.pf-ring { position: absolute; z-index: 3; inset: 2px; border-radius: 2px; pointer-events: none; }
/* Fades the column that is cut off at the right: its first digits would read as another number. */
.pf-ring::after {
  position: absolute;
  z-index: -1;
  inset: -2px calc(var(--pf-scrollbar-beside, 0px) - 2px) calc(var(--pf-scrollbar-below, 0px) - 2px) auto;
  width: var(--pf-cut-width, 0);
  background: linear-gradient(to right, transparent, var(--surface) 85%);
  content: '';
}
regular-table:focus-visible + .pf-ring { outline: 2px solid var(--pf-focus); }
regular-table::-webkit-scrollbar, regular-table::-webkit-scrollbar-corner {
  width: 12px;
  height: 12px;
  background-color: transparent;
}
regular-table::-webkit-scrollbar-thumb {
  min-width: 10%;
  min-height: 10%;
  border: 4px solid var(--surface);
  border-radius: 6px;
  background: var(--text-muted);
}
table {
  position: absolute;
  border-collapse: separate;
  color: inherit;
  user-select: none;
}
table * { box-sizing: border-box; }
th, td {
  height: ${ROW_HEIGHT}px;
  padding: 0 5px;
  border: 0 solid var(--line);
  font-size: 12px;
  font-weight: 400;
  white-space: nowrap;
}
/* Cuts off long labels, so that the numbers stay in view; blanks in labels are kept. */
th { max-width: 24rem; overflow: hidden; text-overflow: ellipsis; white-space: pre; }
td { min-width: 52px; border-top-width: 1px; text-align: left; cursor: cell; }
.pf-number { text-align: right; }
td:empty::after { content: '–'; color: var(--text-muted); }
.pf-negative { color: var(--data-negative); }
.rt-cell-clip { overflow: hidden; text-overflow: ellipsis; }

/* Cells that a rule marks: a sign before the number, a bar by its length, a scale of colours with a step. */
td[data-sign] { position: relative; padding-left: 19px; }
td[data-sign]::after { position: absolute; left: 5px; color: var(--text-muted); font-size: 10px; }
${Object.entries(SIGNS)
  .map(
    ([sign, { text, meaning }]) =>
      `td[data-sign='${sign}']::after { content: '${text}' / '${meaning}'; }`,
  )
  .join('\n')}
td[data-tone='high'] { --pf-mark: var(--chart-1); }
td[data-tone='low'] { --pf-mark: var(--chart-2); }
td[data-tone='other'] { --pf-mark: var(--chart-3); }
td[data-sign] { --pf-tint: color-mix(in srgb, var(--pf-mark) 16%, transparent); }
td[data-fill] { --pf-tint: color-mix(in srgb, var(--pf-mark) 26%, transparent); }
td:is([data-fill='high'], [data-fill='low']) {
  --pf-tint: color-mix(in srgb, color-mix(in srgb, var(--pf-mark) var(--pf-share), transparent) 26%, transparent);
}
td:is([data-sign], [data-fill]) { --pf-fill: linear-gradient(var(--pf-tint) 0 0); }
td:is([data-fill='bar'], [data-fill='bar-below']) { --pf-fill-size: var(--pf-share) calc(100% - 4px); --pf-fill-at: left center; }
td[data-fill='bar-below'] { --pf-fill-at: right center; }

/* The last column that stays in place. */
.pf-pin-edge { border-right: 1px solid var(--line-control); }

/* Column headers. */
thead th { position: relative; border-bottom-width: 1px; text-align: center; }
thead th.pf-number { text-align: right; }
thead th[colspan] { max-width: 0; }
thead tr:not(:last-child) th:not(.rt-group-corner) { border-left-width: 1px; }
thead tr:last-child:only-child th { border-left-width: 0; }
/* Long names, such as those of compared versions, have two lines and do not widen columns of short numbers. */
thead .pf-measure { max-width: 9rem; cursor: pointer; }
.pf-tall thead .pf-measure { height: 40px; line-height: 15px; vertical-align: bottom; padding-bottom: 4px; }
.pf-head:has(.pf-line) { display: inline-block; max-width: 100%; vertical-align: bottom; }
.pf-line { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
/* Where a dragged header would be dropped. */
thead .pf-drop-left { box-shadow: inset 3px 0 var(--pf-focus); }
thead .pf-drop-right { box-shadow: inset -3px 0 var(--pf-focus); }
thead .pf-total { font-weight: 600; }
.rt-column-resize { position: absolute; top: 0; right: 0; width: 10px; height: 100%; cursor: col-resize; }
.rt-column-resize:hover { box-shadow: inset -2px 0 var(--accent); }
.pf-toggle {
  width: 20px;
  margin: 0 2px 0 -4px;
  padding: 0;
  border: 0;
  background: none;
  color: var(--text-muted);
  font: inherit;
  cursor: pointer;
}
.pf-toggle::before { content: '+'; }
.pf-toggle[aria-expanded='true']::before { content: '−'; }
.pf-toggle:hover { color: var(--accent); font-weight: 600; }
[data-sort]::after { margin-left: 4px; color: var(--text-muted); content: '↓'; }
/* Beside both lines of a name */
.pf-tall thead .pf-measure[data-sort] { padding-right: 18px; }
.pf-tall thead .pf-measure[data-sort]::after { position: absolute; right: 4px; bottom: 4px; pointer-events: none; }
[data-sort^='asc']::after { content: '↑'; }
[data-sort^='col desc']::after { content: '→'; }
[data-sort^='col asc']::after { content: '←'; }

.pf-unit { color: var(--text-muted); font-weight: 400; }
/* The unit of all amounts, in the corner. */
thead th[data-unit] { color: var(--text-muted); text-align: left; vertical-align: bottom; padding-bottom: 4px; }
thead th[data-unit]::before { content: attr(data-unit); }

/* The header of a closed month. */
th.pf-closed { color: var(--text-muted); }
th.pf-closed::after { margin-left: 4px; color: var(--pf-lock); content: '✓' / 'closed'; }

/* Row headers: one column, indented by level. */
tbody th {
  padding-left: calc(24px + 20px * (var(--level, 0)));
  border-top-width: 1px;
  border-right-width: 1px;
  background: var(--surface);
  text-align: left;
  cursor: cell;
}
tbody th.pf-tree { padding-left: calc(5px + 20px * var(--level, 0)); }
th.pf-tree::before { display: inline-block; width: 19px; color: var(--text-muted); content: '+'; cursor: pointer; }
th.pf-open::before { content: '−'; }
/* The row of the groups that a limit leaves out. */
th.pf-others { font-style: italic; }
tbody tr:first-child > * { border-top-color: transparent; }
td.pf-total { background-color: var(--pf-total); font-weight: 600; }
tbody tr:hover > * { background-color: var(--surface-hover); }

/* Rows scroll by pixels, columns by whole columns: a number cut off on the left would read as another number. */
tbody { transform: translate(0, var(--regular-table--transform-y, 0px)); }
tbody tr:first-child > * {
  clip-path: polygon(
    0 var(--regular-table--clip-y, 0), 0 200%, 200% 200%, 200% var(--regular-table--clip-y, 0)
  );
}
/* The total row does not scroll. */
.pf-grouped tbody tr:first-child > * {
  position: relative;
  z-index: 1;
  border-bottom-width: 1px;
  background-color: var(--pf-total);
  clip-path: none;
  font-weight: 600;
  transform: translate(0, calc(-1 * var(--regular-table--transform-y, 0px)));
}

/* Outlines a pressed cell at once; its mark follows when the cell has been read. */
td:active { outline: 2px dotted var(--pf-focus); outline-offset: -2px; }
td.pf-hint, tbody th.pf-hint { background-color: var(--pf-hint) !important; }
td.pf-tried { background-color: var(--pf-tried) !important; font-weight: 600; }
/* Shows the typed amount in place of the stored one. */
td.pf-unsaved { background-color: var(--pf-unsaved) !important; font-size: 0; }
td.pf-unsaved::after {
  border-bottom: 1px dashed currentColor;
  content: attr(data-unsaved);
  font-size: 12px;
  font-style: italic;
}
td.pf-glow { animation: pf-glow 2s ease-out; }
@keyframes pf-glow { from { background-color: var(--pf-hint); } }
/* Corners, clear of the digits: at the left for a lock, at the right for comments; below them, the fill of a rule. */
td:is(.pf-locked, .pf-commented, [data-sign], [data-fill]) {
  background-image: var(--lock-corner, none), var(--comment-corner, none), var(--pf-fill, none);
  background-position: left top, right 1px top, var(--pf-fill-at, left center);
  background-repeat: no-repeat;
  background-size: 6px 6px, 6px 6px, var(--pf-fill-size, 100% 100%);
}
td.pf-locked { --lock-corner: linear-gradient(135deg, var(--pf-lock) 50%, transparent 50%); }
td.pf-commented { --comment-corner: linear-gradient(225deg, var(--pf-comment) 50%, transparent 50%); }
td.pf-locked:not(.pf-negative) { color: var(--text-muted); }
/* The left edge of rows in a review, or of its cells where only some columns are in it. */
tbody [data-review] {
  background-image:
    var(--lock-corner, none), var(--comment-corner, none), linear-gradient(var(--edge), var(--edge));
  background-position: left top, right 1px top, left top;
  background-repeat: no-repeat;
  background-size: 6px 6px, 6px 6px, 3px 100%;
}
[data-review] { --edge: var(--pf-review-open); }
[data-review='submitted'] { --edge: var(--pf-review-submitted); }
[data-review='returned'] { --edge: var(--pf-review-returned); }
[data-review='approved'] { --edge: var(--pf-review-approved); }
[data-review='reopened'] { --edge: var(--pf-review-reopened); }
td.pf-selected, th.pf-selected { background-color: var(--pf-selected) !important; }
thead th.pf-selected { outline: 2px solid var(--pf-focus); outline-offset: -2px; }
/* The edges of a block together are its outline. */
tbody .pf-selected {
  box-shadow:
    inset 0 var(--top, 0) var(--pf-focus), inset var(--right, 0) 0 var(--pf-focus),
    inset 0 var(--bottom, 0) var(--pf-focus), inset var(--left, 0) 0 var(--pf-focus);
}
.pf-edge-top { --top: 2px; }
.pf-edge-right { --right: -2px; }
.pf-edge-bottom { --bottom: -2px; }
.pf-edge-left { --left: 2px; }
/* The corner from which the block is filled, clear of the digits. */
td.pf-handle { position: relative; }
td.pf-handle::before {
  position: absolute;
  z-index: 1;
  right: -3px;
  bottom: -3px;
  width: 8px;
  height: 8px;
  border: 1px solid var(--surface);
  background: var(--pf-focus);
  content: '';
  cursor: crosshair;
}
td.pf-fill { outline: 1px dashed var(--pf-focus); outline-offset: -1px; }
/* The cell that receives typing, if several are selected. */
td.pf-active, th.pf-active { background-color: var(--pf-active) !important; }
`;
