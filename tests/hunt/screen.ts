/** Cells of a hunted pivot as they are on screen, by what they mean. */
import type { HuntLayout } from './layout';
import { Oracle, type Meaning, type Sums } from './oracle';
import { Broken, Refused } from './outcome';
import type { HuntPage } from './page';
import type { Pressed, Seen } from './watch';

/** Compares the numbers on screen with those of SQL. @returns the first difference; null if there is none */
export function wrongOnScreen(
  seen: Seen,
  cells: readonly Sums[],
  oracle: Oracle,
  layout: HuntLayout,
): string | null {
  const byLabel = new Map<string, Sums>();
  for (const cell of cells) {
    const { row, column } = oracle.labels(cell);
    if (column.length < layout.splits.length) continue;
    const key = place(row, column);
    if (byLabel.has(key)) return `two cells look alike: ${key}`;
    byLabel.set(key, cell);
  }
  for (const { row, column, measure, text } of seen.cells) {
    if (!layout.measures.includes(measure)) {
      return `a column is headed ${[...column, measure].join(' / ')}`;
    }
    const sum = byLabel.get(place(row, column))?.sums[measure] ?? null;
    if (!sameNumber(text, sum)) {
      return `${place(row, column)} shows “${text}” instead of ${sum}`;
    }
  }
  const drawn = new Set(seen.cells.map(({ row }) => place(row, [])));
  const missing = cells.find(
    ({ row, column, rows }) =>
      rows > 0 &&
      column.length === layout.splits.length &&
      row.length <= 1 &&
      !drawn.has(place(oracle.labels({ row, column }).row, [])),
  );
  return missing && seen.rows.length < 30
    ? `there is no row ${JSON.stringify(oracle.labels(missing).row)}`
    : null;
}

/** Waits until nothing on screen is wrong. @throws Broken with what is wrong after 15 seconds */
export async function untilRight(
  page: HuntPage,
  when: string,
  wrongOf: (seen: Seen) => string | null,
): Promise<Seen> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const seen = await page.look();
    const wrong = wrongOf(seen);
    if (wrong === null) return seen;
    if (Date.now() > deadline) throw new Broken(`On screen ${when}: ${wrong}`);
    await page.page.waitForTimeout(25);
  }
}

/** Returns what pressed cells mean; null if SQL cannot say. */
export async function meaningsOf(
  cells: readonly Pressed[],
  oracle: Oracle,
  { levels, splits, limit }: HuntLayout,
): Promise<Meaning[] | null> {
  const depth = Math.max(...cells.map(({ row }) => row.length));
  const across = Math.max(...cells.map(({ column }) => column.length));
  const named = [...levels.slice(0, depth), ...splits.slice(0, across)];
  if (!named.every(Oracle.isKnown)) return null;
  const all = await Promise.all(
    cells.map(async ({ row, column }): Promise<Meaning[] | null> => {
      if (limit && /^Others \(\d+\)$/.test(row[0] ?? '')) return oracle.findOthers(column);
      const [found, another] = await oracle.find(row, column);
      if (!found) throw new Broken(`No group is labelled ${place(row, column)}`);
      if (another) throw new Broken(`Two groups are labelled ${place(row, column)}`);
      return [found];
    }),
  );
  return all.some((each) => each === null) ? null : all.flatMap((each) => each ?? []);
}

/** Checks that no row matches the filters, since the page says so. @throws Broken, Refused */
export async function checkEmpty(oracle: Oracle): Promise<void> {
  const cells = await oracle.cells();
  if (!cells) throw new Refused('setup: SQL has no equivalent of the filters');
  const rows = Math.max(0, ...cells.map((cell) => cell.rows));
  if (rows > 0) throw new Broken(`The page says that no rows match the filters; SQL finds ${rows}`);
}

export const place = (row: readonly string[], column: readonly string[]) =>
  `${JSON.stringify(row)} × ${JSON.stringify(column)}`;

export const columnKey = ({ column, measure }: { column: string[]; measure: string | null }) =>
  JSON.stringify([column, measure]);

export const cellKey = (cell: { row: string[]; column: string[]; measure: string | null }) =>
  `${JSON.stringify(cell.row)} × ${columnKey(cell)}`;

export const shown = (cells: readonly Pressed[]) =>
  cells.map((cell) => `${cellKey(cell)} “${cell.text}”`).join(' and ');

/** Whether a printed number stands for a sum, to the digits that it has; nothing stands for null. */
export function sameNumber(text: string, sum: number | null): boolean {
  const digits = text.replaceAll(',', '').trim();
  if (digits === '' || digits === '-') return sum === null || sum === 0;
  const decimals = /\.(\d+)$/.exec(digits)?.[1]?.length ?? 0;
  const room = 0.51 * 10 ** -decimals + Math.abs(sum ?? 0) * 1e-9;
  return Math.abs(Number(digits) - (sum ?? 0)) <= room;
}
