/** Answers a version's rows as Arrow, from the cache where possible. */
import { createHash } from 'node:crypto';
import type { BlockColumn, RowBlock } from '../../arrow/blocks';
import { blockOf, columnsOf, heldIn, rowCountIn } from '../../arrow/blocks';
import type { PlannedColumn } from '../../arrow/column-plan';
import { integerColumns } from '../../arrow/column-plan';
import { encodeBlocks, lengthOf } from '../../arrow/encode';
import type { EntryRows } from '../../arrow/entry-rows';
import { byEntry, entryRuns, rowsOfEntries, runsAt, shareOf } from '../../arrow/entry-rows';
import { mappedDictionary } from '../../arrow/mapped';
import type { History } from '../../../contract/primitives';
import type { Asked, Bodies, Body, BodyOf, Borrowed, HeldBody, Made, Read } from '../../bodies';
import type { Reservation } from '../../budget';
import { MemoryShort } from '../../budget';
import type { Encoding } from '../../compress';
import { compress } from '../../compress';
import type { Database } from '../../db/database';
import type { Transaction } from '../../db/connection/transaction';
import type { Label } from '../../db/log/log';
import { countedRows, entryLabels } from '../../db/log/log';
import { getVersion } from '../../db/versions/versions';
import { AppError } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import { ofEntries } from '../../sql/templates/read';
import { substitute } from '../../sql/tokens';
import { blameClient } from '../client-faults';
import { limited, readVersion, storedTemplate } from '../version/forecast-version';
import { planColumns, readColumns } from './read-columns';

/**
 * Estimated bytes of one cell: an amount takes 8 bytes, an id, a day or the code of a text 4, plus room for
 * growth.
 */
const CELL_BYTES = 8;

/** Which rows a read returns. */
export interface Wanted {
  /** The stored template that selects them. */
  operation: 'get_data' | 'get_agg';
  /** The ids of the entries whose rows are wanted; undefined for all rows of the version. */
  entries: readonly number[] | undefined;
}

/** The state of a version in one snapshot. */
interface State {
  /** The history of the rows. */
  history: History;
  /** Names the rows that the sender may read: two senders with the same name may read the same rows. */
  scope: string;
  /** Whether the sender reads only a part of the rows. Nothing in the answer may then depend on the others. */
  isPart: boolean;
  versionId: number;
  wanted: Wanted;
  /** Selects all rows of the version: the stored template with its tokens filled in. */
  select: SqlText;
  /** Selects the rows of some of its entries. */
  selectOf: (entries: readonly number[]) => SqlText;
  /** Columns of the forecast table. */
  columns: ForecastColumn[];
  /** Labels of the wanted live entries, oldest first. */
  labels: Label[];
  /**
   * Two states of the same name make the same answer. Within one history, the rows of an entry never
   * change and its id never comes back, so the live entries determine the rows.
   */
  of: BodyOf;
  /** The series of states that have all rows of the version. */
  series: string;
}

/**
 * A version's forecast rows as one Arrow record batch: raw with note and operation, or at the grain
 * (docs/contract/04-data-loading.md). No rows make a body of no bytes.
 *
 * The statement is the stored template. Rows that were read before are kept, so only those of new
 * entries are read. Note and operation come from the log in the same snapshot, which costs less than a
 * join per row. Readers of one state share one body, and all bodies share one budget of memory. The
 * caller releases the body.
 *
 * @param wanted which rows; entries that the version does not have are passed over
 * @param asked how the client wants the rows
 * @throws AppError 404 if there is no such version or template; 422 for a value Arrow cannot hold, and
 * for rows that take more than the whole budget; 503 if a turn or memory does not come in time
 */
export async function readForecast(
  { db, bodies }: { db: Database; bodies: Bodies },
  versionId: number,
  wanted: Wanted,
  asked: Asked,
): Promise<Read> {
  try {
    // Each reader has its own snapshot, which includes all commits before its request.
    const read = (tx: Transaction) => stateOf(tx, versionId, wanted);
    const { of, history, scope, isPart } = await db.versionRead(versionId, read, 'metadata');
    // Without a cache, each read answers the stored rows. The state of a part names entries that it lacks.
    if (bodies.keeps && !isPart && asked.isKnown(of.state)) {
      return { kind: 'unchanged', tag: of.state, history };
    }
    const plain = (signal: AbortSignal) => plainBody(db, bodies, versionId, wanted, of, signal);
    const body = asked.encoding
      ? await compressedBody(bodies, of, asked.encoding, plain, asked.signal)
      : await plain(asked.signal);
    if (body.scope !== scope) {
      // Another sender has made the body, whose territories changed before its rows were read.
      body.release();
      return await readForecast({ db, bodies }, versionId, wanted, asked);
    }
    const tag = bodies.keeps ? body.tag : undefined;
    if (isPart && tag !== undefined && asked.isKnown(tag)) {
      body.release();
      return { kind: 'unchanged', tag, history: body.history };
    }
    return { kind: 'rows', body, tag };
  } catch (error) {
    // If the version was deleted meanwhile, its table is gone too. The 404 then names the version.
    if (error instanceof AppError && [404, 409].includes(error.status)) {
      await getVersion(db, versionId);
    }
    throw error;
  }
}

/** The rows of a state, or of a newer one, uncompressed. */
function plainBody(
  db: Database,
  bodies: Bodies,
  versionId: number,
  wanted: Wanted,
  of: BodyOf,
  signal: AbortSignal,
): Promise<HeldBody> {
  return bodies.read(of, signal, (body) => {
    bodies.misses += 1;
    return makeBody(db, bodies, body, versionId, wanted);
  });
}

/**
 * The rows of a state, or of a newer one, compressed once for all clients that want them so. If memory for
 * the compression is short, they are sent uncompressed rather than waiting.
 */
async function compressedBody(
  bodies: Bodies,
  of: BodyOf,
  encoding: Encoding,
  plain: (signal: AbortSignal) => Promise<HeldBody>,
  signal: AbortSignal,
): Promise<HeldBody> {
  const packed = (state: string): BodyOf => ({
    state: `${state} ${encoding}`,
    series: of.series && `${of.series} ${encoding}`,
  });
  try {
    return await bodies.read(packed(of.state), signal, async (body) => {
      const held = await plain(body.signal);
      try {
        body.becomes(packed(held.state));
        return await bodies.budget.once((memory) => packedBody(held, body, encoding, memory));
      } finally {
        held.release();
      }
    });
  } catch (error) {
    if (error instanceof MemoryShort) return plain(signal);
    throw error;
  }
}

async function packedBody(
  { parts, rowCount, length, state, tag, scope, history }: HeldBody,
  body: Body,
  encoding: Encoding,
  memory: Reservation,
): Promise<Made> {
  body.holds(memory);
  const made = { rowCount, length, state, tag, scope, history, rows: undefined };
  // Some clients reject an empty compressed body.
  if (length === 0) return { ...made, parts };
  const grow = (bytes: number) => memory.grow(bytes);
  return { ...made, parts: await compress(parts, encoding, grow, body.signal), encoding };
}

async function stateOf(tx: Transaction, versionId: number, wanted: Wanted): Promise<State> {
  const { operation, entries } = wanted;
  const target = await readVersion(tx, versionId);
  const { version, source, columns, entryRows, revision } = target;
  const isPart = limited(target) !== undefined;
  const template = await storedTemplate(tx, source.id, operation);
  const selectFrom = (from: SqlText) =>
    substitute(template, { fc_table: from, version_id: sql`${version.id}` });
  const select = selectFrom(entryRows);
  const live = await entryLabels(tx, versionId);
  const labels = entries ? live.filter(({ id }) => entries.includes(id)) : live;
  const series = digest([
    tx.timeline,
    revision,
    versionId,
    operation,
    select,
    columns.map((c) => [c.name, c.type, c.role]),
  ]);
  // The stamp distinguishes an entry from one with the same id in a restored or recreated database.
  const shown = labels.map((e) =>
    operation === 'get_data' ? [e.id, e.stamp, e.operation, e.note] : [e.id, e.stamp],
  );
  return {
    // A new revision would tell of changes to rows that the sender does not see.
    history: { timeline: tx.timeline, revision: isPart ? null : revision },
    scope: entryRows,
    isPart,
    versionId,
    wanted,
    select,
    selectOf: (some) => selectFrom(ofEntries(entryRows, some)),
    columns,
    labels,
    of: entries
      ? { series: undefined, state: digest([series, shown, 'part']) }
      : { series, state: digest([series, shown]) },
    series,
  };
}

function digestOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
}

const digest = (facts: unknown): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('base64url');

/**
 * Reads the rows in a snapshot that is newer than the request. Each attempt takes a new snapshot: a read that
 * kept its connection while waiting for memory would block the requests that it waits for.
 */
const makeBody = (
  db: Database,
  bodies: Bodies,
  body: Body,
  versionId: number,
  wanted: Wanted,
): Promise<Made> =>
  bodies.budget.run((memory) => {
    body.holds(memory);
    return db.versionRead(versionId, async (tx) => {
      const state = await stateOf(tx, versionId, wanted);
      body.becomes(state.of);
      const before = bodies.borrow(state.series);
      try {
        const made = await encodeRows(tx, state, before, memory, body.signal);
        // Only a cached body needs a tag.
        return state.isPart && bodies.keeps ? { ...made, tag: digestOf(made.parts) } : made;
      } finally {
        before?.release();
      }
    });
  }, body.signal);

/** @param before cached rows of a state of the same series, if there are any */
async function encodeRows(
  tx: Transaction,
  state: State,
  before: Borrowed | undefined,
  memory: Reservation,
  signal: AbortSignal,
): Promise<Made> {
  const { history, scope, isPart, versionId, wanted, select, columns, labels, of } = state;
  const { operation, entries } = wanted;
  const plan = await blameClient({ words: operation }, () =>
    planColumns(tx, select, columns, 'measure'),
  );
  // The number of groups at a grain, and that of rows in a part, is unknown.
  const isCounted = operation === 'get_data' && !isPart;
  const expected = isCounted ? await countedRows(tx, versionId, entries) : 0;
  const estimate = CELL_BYTES * plan.length * expected;
  // A read that cannot succeed now fails here, before it starts.
  memory.expect(estimate);
  // If rows were deleted by hand, the counted room would be too large.
  const roomFor = memory.mayHold(2 * estimate) ? expected : 0;
  const isSame = (e: Label) => (before?.stamps.get(e.id) ?? e.stamp) === e.stamp;
  const usable = before && labels.some((e) => before.stamps.has(e.id)) && labels.every(isSame);
  const read = usable
    ? await newRows(tx, state, plan, before, memory, signal)
    : await allRows(tx, state, plan, memory, signal, roomFor);

  const { blocks, rows } = read;
  const rowCount = rowCountIn(blocks);
  const shown = columnsOf(blocks);
  if (operation === 'get_data')
    shown.push(...fromLog(read, isPart ? seenIn(read, labels) : labels));
  const parts = encodeBlocks(shown);
  const length = lengthOf(parts);
  // Rows that are left out may still occupy memory in a shared block.
  const bytes = rowCount === 0 ? 0 : Math.ceil((length * heldIn(blocks)) / rowCount);
  memory.grow(bytes);
  // The unused room behind the columns has never been written to, so the system has not allocated it.
  memory.trim(bytes);
  const stamps = new Map(labels.map((e) => [e.id, e.stamp]));
  const named = { state: of.state, tag: of.state, scope, history };
  return { parts, rowCount, rows, stamps, length, ...named };
}

/** The labels of the entries that have some of the rows. */
function seenIn({ blocks, rows }: RowsRead, labels: readonly Label[]): Label[] {
  const logids = blocks[0]?.columns.find(({ name }) => name === 'pf_logid');
  const runs = rows ? [...runsAt(rows.places)] : logids ? [...entryRuns(logids)] : [];
  const seen = new Set(runs.flatMap(({ id, start, end }) => (end > start ? (id ?? []) : [])));
  return labels.filter(({ id }) => seen.has(id));
}

/** The columns that depend on each row's log entry; none if the rows do not name it. */
function fromLog({ blocks, rows }: RowsRead, labels: readonly Label[]): BlockColumn[] {
  const logids = blocks[0]?.columns.find(({ name }) => name === 'pf_logid');
  if (!logids) return [];
  const rowCount = rowCountIn(blocks);
  const mapped = (name: string, text: (label: Label) => string | null) => {
    const texts = new Map(labels.map((e) => [e.id, text(e)]));
    // Rows that cannot be grouped by entry are a single block.
    const runs = rows ? runsAt(rows.places) : entryRuns(logids);
    return { name, blocks: [mappedDictionary(rowCount, runs, texts)] };
  };
  return [mapped('pf_note', (e) => e.note), mapped('pf_op', (e) => e.operation)];
}

/** Rows that were read, grouped by entry if every row names its entry. */
interface RowsRead {
  blocks: readonly RowBlock[];
  rows: EntryRows | undefined;
}

async function allRows(
  tx: Transaction,
  { wanted, select, selectOf, labels }: State,
  plan: readonly PlannedColumn[],
  memory: Reservation,
  signal: AbortSignal,
  expected: number,
): Promise<RowsRead> {
  const entries = labels.map(({ id }) => id);
  const some = wanted.entries ? selectOf(entries) : select;
  const { columns, bytes } = await readColumns(
    tx,
    inOrder(some, plan),
    plan,
    memory,
    signal,
    expected,
  );
  const block = blockOf(columns);
  const rows = await byEntry(block, entries, integerColumns(plan), () => memory.grow(2 * bytes));
  return { blocks: rows?.blocks ?? [block], rows };
}

/** The rows of a state. Only the rows of entries that `before` lacks are read from the database. */
async function newRows(
  tx: Transaction,
  { selectOf, labels }: State,
  plan: readonly PlannedColumn[],
  before: Borrowed,
  memory: Reservation,
  signal: AbortSignal,
): Promise<RowsRead> {
  const entries = labels.map(({ id }) => id);
  const integers = integerColumns(plan);
  const missing = entries.filter((id) => !before.rows.places.has(id));
  const sources = [before.rows];
  let bytes = before.bytes * shareOf(before.rows, entries);
  if (missing.length > 0) {
    const some = inOrder(selectOf(missing), plan);
    const found = await readColumns(tx, some, plan, memory, signal);
    const fresh = await byEntry(blockOf(found.columns), missing, integers);
    if (!fresh) throw new Error('A row of an entry is not of that entry');
    sources.push(fresh);
    bytes += 2 * found.bytes;
  }
  memory.grow(bytes);
  const rows = await rowsOfEntries(entries, sources, integers);
  return { blocks: rows.blocks, rows };
}

/** Orders the rows by entry. Stored rows are nearly in that order already; groups come in any order. */
const inOrder = (select: SqlText, plan: readonly PlannedColumn[]): SqlText =>
  plan.some(({ name }) => name === 'pf_gkey') && plan.some(({ name }) => name === 'pf_logid')
    ? sql`SELECT * FROM (${select}
) AS entry ORDER BY pf_logid`
    : select;
