import type { LayoutFilter } from '../contract/stored-layout';
import { parseRows } from './columns-json';
import { quotedName } from './expression-text';
import type { Schema, Table } from './engine-types';
import type { Gate } from './gate';
import { RowsError } from './rows';

/** So many places are looked at, one after the other, in the time that loading one value anew takes. */
const PLACES_PER_VALUE = 600;
/**
 * So many rows are read and loaded at once: the engine never gives back memory that it needed, and for all
 * rows it needs several times what they take.
 */
const ROWS_AT_ONCE = 16_384;
/** So many rows are in one view that is only read: it takes more memory per row than the rows themselves. */
const ROWS_OF_VIEW = 131_072;
/** So many are looked at in half a second. */
const WORTH_IT = 4e8;

/** Thrown if rows that were on screen are no longer in the table; the message says what to do. */
export class RowsLostError extends RowsError {
  constructor(cause: unknown) {
    super('This page has lost rows that are stored. Reload it to see them again.', { cause });
  }
}

/**
 * The places in the engine's table that rows have left. The engine gives them to rows that come, and looks
 * for each from the start: 300,000 rows that come after as many have gone take two minutes, and a second
 * otherwise. If many rows come, all rows are loaded anew before, which leaves no such place
 * (docs/decisions/0031-places-that-rows-leave.md).
 */
export class FreePlaces {
  private count = 0;

  /** @param gate is closed while the table has only some of its rows */
  constructor(private readonly gate: Gate) {}

  /** Is told how many rows came; a negative number went. */
  changed(rows: number): void {
    this.count = Math.max(0, this.count - rows);
  }

  /**
   * Loads all rows of a table anew if that takes less time than to find places for new ones. Views on the
   * table stay, but have all their rows closed.
   *
   * @param rows how many will come
   * @returns whether it did
   * @throws RowsLostError if the engine fails half way
   */
  async makeFor(rows: number, table: Table): Promise<boolean> {
    const looks = rows * this.count;
    if (looks < WORTH_IT) return false;
    const [schema, size] = await Promise.all([table.schema(), table.size()]);
    // An empty table has nothing to load anew.
    if (size === 0 || looks < PLACES_PER_VALUE * Object.keys(schema).length * size) return false;
    const { parts, rows: read } = await readAll(table, schema, size);
    // Whatever has kept some from being read, they are still there.
    if (read !== size) return false;
    await this.gate
      .during(async () => {
        await table.clear();
        for (let part = parts.shift(); part; part = parts.shift()) await table.update(part);
      })
      .catch((error: unknown) => {
        throw new RowsLostError(error);
      });
    this.count = 0;
    return true;
  }
}

/** All rows of a table, as parts of it. */
async function readAll(
  table: Table,
  schema: Schema,
  size: number,
): Promise<{ parts: ArrayBuffer[]; rows: number }> {
  const parts: ArrayBuffer[] = [];
  let read = 0;
  for (const filter of await shares(table, schema, size)) {
    const view = await table.view({ filter });
    try {
      const rows = await view.num_rows();
      read += rows;
      for (let start_row = 0; start_row < rows; start_row += ROWS_AT_ONCE) {
        const end_row = Math.min(rows, start_row + ROWS_AT_ONCE);
        parts.push(await view.to_arrow({ compression: null, start_row, end_row }));
      }
    } finally {
      await view.delete();
    }
  }
  return { parts, rows: read };
}

/**
 * Filters that part the rows of a table by their keys, if these are numbers. Each row meets one of them, and so
 * many rows as a view may have meet each.
 */
async function shares(table: Table, schema: Schema, size: number): Promise<LayoutFilter[][]> {
  const index = await table.get_index();
  const type = index === undefined ? undefined : schema[index];
  if (index === undefined || size <= ROWS_OF_VIEW) return [[]];
  if (type !== 'integer' && type !== 'float') return [[]];
  const bounds: number[] = [];
  let rows = 0;
  for (const [first, count] of await countedByKey(table, schema, index)) {
    if (rows > 0 && rows + count > ROWS_OF_VIEW) {
      bounds.push(first);
      rows = 0;
    }
    rows += count;
  }
  return Array.from({ length: bounds.length + 1 }, (_, i) => {
    const ends: [operator: string, bound: number | undefined][] = [
      ['>=', bounds[i - 1]],
      ['<', bounds[i]],
    ];
    return ends.flatMap(([operator, bound]): LayoutFilter[] =>
      bound === undefined ? [] : [[index, operator, bound]],
    );
  });
}

/** The first key of each run of so many keys as a view may have rows, and how many rows have one of them. */
async function countedByKey(
  table: Table,
  schema: Schema,
  index: string,
): Promise<[first: number, rows: number][]> {
  let run = 'run';
  while (run in schema) run += ' of keys';
  const view = await table.view({
    group_by: [run],
    columns: [index],
    aggregates: { [index]: 'count' },
    expressions: { [run]: `floor(${quotedName(index)} / ${ROWS_OF_VIEW})` },
  });
  try {
    const { paths, columns } = parseRows(await view.to_columns_string());
    const counts = columns.get(index);
    return (paths ?? [])
      .flatMap(([number], y): [number, number][] =>
        typeof number === 'number' ? [[number * ROWS_OF_VIEW, Number(counts?.[y])]] : [],
      )
      .sort(([one], [other]) => one - other);
  } finally {
    await view.delete();
  }
}
