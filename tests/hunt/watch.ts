/** Reads what the pivot page shows, in the page itself. */

/** A row on screen: its place and the labels down to it. */
export interface SeenRow {
  y: number;
  path: string[];
  /** Where a click selects the row, and where one opens or closes it; null if it has no rows below. */
  header: Point;
  icon: Point | null;
}

/** A number on screen: the labels of its row and of the split columns. */
export interface SeenCell {
  row: string[];
  column: string[];
  measure: string;
  text: string;
  marked: boolean;
  at: Point;
}

/** A header over columns. */
export interface SeenHead {
  at: Point;
}

export interface Point {
  x: number;
  y: number;
}

/** The cell or header under the pointer at the moment the mouse button was pressed. */
export interface Pressed {
  place: 'body' | 'row' | 'head';
  /** Labels down to the row; none for the total row and for a head. */
  row: string[];
  /** Labels of the split columns; none for a row's header, the first ones for a head. */
  column: string[];
  /** Null unless a number was pressed. */
  measure: string | null;
  text: string;
}

/** What the page says beside the pivot. */
export interface Said {
  selected: boolean;
  /** Whether the panel says that the marked cells have no common slice, so that no form can change them. */
  apart: boolean;
  /** Whether the panel shows the totals of the selection, or the reason why it cannot. */
  added: boolean;
  busy: boolean;
  /** Why Apply is off. */
  obstacle: string | null;
  /** Whether the obstacle is one of the selection, not of an empty form. */
  refused: boolean;
  /** What the page says of a change that reaches beyond the cell. */
  beyond: string | null;
  warning: string | null;
}

/** All that a planner sees of the pivot and of the panel beside it. */
export interface Seen extends Said {
  rows: SeenRow[];
  cells: SeenCell[];
  heads: SeenHead[];
}

/** What an init script leaves on the page for the hunt. */
interface Hunted {
  look(): Seen;
  /** A part of what {@link look} answers that costs no layout, for waiting. */
  listen(): Said;
  pressed: Pressed[];
  toasts: string[];
}

declare global {
  interface Window {
    hunted: Hunted;
  }
}

/** Runs in the page before anything of the product: sees what is drawn, as it is drawn. */
export function watch(): void {
  const text = (node: Element | null | undefined) => node?.textContent ?? '';
  type Grid = Element & { getMeta(cell: Element): Meta | undefined };
  const grid = (): Grid | null => {
    const plugin = document.querySelector('perspective-viewer-pivot-grid');
    return ((plugin?.shadowRoot ?? plugin)?.querySelector('regular-table') as Grid | null) ?? null;
  };
  type Meta = {
    x?: number;
    y?: number;
    column_header?: Element[];
    column_header_y?: number;
  };
  const centre = (box: DOMRect) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

  /**
   * Rows in their order, without those whose outer rows are scrolled out: a row's header holds the label of its own
   * level only.
   */
  function rowsOf(table: Grid) {
    const path: (string | undefined)[] = [];
    return [...table.querySelectorAll<HTMLElement>('tbody tr')].flatMap((tr) => {
      const meta = table.getMeta(tr.querySelector('td') ?? (tr.firstElementChild as Element));
      const depth = Number(tr.dataset.level ?? -1);
      const header = tr.querySelector('th') ?? undefined;
      path.length = Math.max(depth, 0);
      if (depth > 0) path[depth - 1] = text(header);
      const labels = path.filter((label) => label !== undefined);
      return labels.length < path.length ? [] : [{ tr, y: meta?.y ?? -1, header, path: labels }];
    });
  }

  const labelsOf = (table: Grid, td: Element) =>
    (table.getMeta(td)?.column_header ?? []).map((part) => text(part));

  /** The labels of the split columns down to a header; null for the name of a measure. */
  function headOf(table: Grid, th: Element): string[] | null {
    const meta = table.getMeta(th);
    const level = meta?.column_header_y;
    const below = [...table.querySelectorAll('tbody tr:first-child td')].find(
      (td) => table.getMeta(td)?.x === meta?.x,
    );
    if (level === undefined || !below) return null;
    const labels = labelsOf(table, below);
    return level < labels.length - 1 ? labels.slice(0, level + 1) : null;
  }

  function listen(): Said {
    return {
      selected: document.querySelector('[data-testid=slice]') !== null,
      apart: document.querySelector('[data-testid=apart]') !== null,
      added: document.querySelector('[data-testid=totals]:not(.old), .failure') !== null,
      busy: document.querySelector(':is(.apply, .trial) button[aria-busy=true]') !== null,
      obstacle: text(document.querySelector('#apply-obstacle')) || null,
      refused: document.querySelector('#apply-obstacle[data-refuses-selection="true"]') !== null,
      beyond: text(document.querySelector('aside.panel [role=note]')).replace(/\s+/g, ' ') || null,
      warning: text(document.querySelector('.banners')).trim() || null,
    };
  }

  function look(): Seen {
    const seen: Seen = { ...listen(), rows: [], cells: [], heads: [] };
    const table = grid();
    if (!table) return seen;
    const frame = table.getBoundingClientRect();
    // What lies outside the grid or under a message cannot be clicked.
    const inside = ({ x, y }: { x: number; y: number }) =>
      x > frame.x &&
      x < frame.right - 14 &&
      y > frame.y &&
      y < frame.bottom - 14 &&
      document.elementFromPoint(x, y)?.closest('[data-testid=pivot]') !== null;
    for (const { tr, y, header, path } of rowsOf(table)) {
      if (header) {
        const box = header.getBoundingClientRect();
        const middle = box.y + box.height / 2;
        const isTree = header.classList.contains('pf-tree');
        seen.rows.push({
          y,
          path,
          header: { x: box.right - 8, y: middle },
          icon: isTree ? { x: box.x + 10, y: middle } : null,
        });
      }
      for (const td of tr.querySelectorAll('td')) {
        const at = centre(td.getBoundingClientRect());
        if (!inside(at)) continue;
        const marked = td.classList.contains('pf-selected');
        const column = labelsOf(table, td);
        const measure = column.pop() ?? '';
        seen.cells.push({ row: path, column, measure, text: text(td), marked, at });
      }
    }
    seen.rows = seen.rows.filter((row) => inside(row.header));
    for (const th of table.querySelectorAll('thead th')) {
      const at = centre(th.getBoundingClientRect());
      // A press on the icon of a group would close it.
      const icon = th.querySelector('button')?.getBoundingClientRect();
      if (icon && at.x >= icon.left) at.x = Math.max(at.x, icon.right + 4);
      if (headOf(table, th) && inside(at)) seen.heads.push({ at });
    }
    return seen;
  }

  const pressed: Pressed[] = [];
  window.addEventListener(
    'mousedown',
    (event) => {
      const table = grid();
      const cell = event
        .composedPath()
        .find((n): n is Element => n instanceof Element && /^(TD|TH)$/.test(n.tagName));
      if (!table || !cell || !table.contains(cell)) return;
      const row = rowsOf(table).find((r) => r.tr === cell.closest('tr'))?.path ?? [];
      if (cell.tagName === 'TD') {
        const column = labelsOf(table, cell);
        const measure = column.pop() ?? null;
        pressed.push({ place: 'body', row, column, measure, text: text(cell) });
      } else {
        const column = headOf(table, cell);
        pressed.push({
          place: column ? 'head' : 'row',
          row,
          column: column ?? [],
          measure: null,
          text: text(cell),
        });
      }
    },
    { capture: true },
  );

  const toasts: string[] = [];
  const observer = new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes])) {
      if (!(node instanceof Element)) continue;
      const toast = node.matches('[data-sonner-toast]')
        ? node
        : node.querySelector('[data-sonner-toast]');
      if (toast) toasts.push(text(toast.querySelector('[data-title]') ?? toast));
    }
  });
  observer.observe(document, { childList: true, subtree: true });
  localStorage.setItem('pf.user', 'hunter');
  localStorage.setItem('pf.technical', 'shown');
  window.hunted = {
    look,
    listen,
    pressed,
    toasts,
  };
}
