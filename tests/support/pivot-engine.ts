import perspective from '@finos/perspective/node';
import type { Row } from '../../src/lib/contract/primitives';

/** An Arrow stream as the pivot engine reads it. Dates and timestamps are epoch milliseconds. */
export interface Pivoted {
  rows: Row[];
  /** Column → type, in the engine's own words: integer, float, string, date, datetime, boolean. */
  schema: Record<string, string>;
}

/** Loads an Arrow stream into the pivot engine and reads it back. */
export async function pivoted(bytes: Uint8Array): Promise<Pivoted> {
  const table = await perspective.table(Uint8Array.from(bytes).buffer);
  const view = await table.view();
  try {
    return { rows: (await view.to_json()) as Row[], schema: await table.schema() };
  } finally {
    await view.delete();
    await table.delete();
  }
}

/** The engine's sums of some columns over all rows, which are the totals of a pivot. */
export async function pivotedTotals(
  bytes: Uint8Array,
  groupBy: string,
  columns: string[],
): Promise<Row[]> {
  const table = await perspective.table(Uint8Array.from(bytes).buffer);
  const view = await table.view({ group_by: [groupBy], columns });
  try {
    return (await view.to_json()) as Row[];
  } finally {
    await view.delete();
    await table.delete();
  }
}
