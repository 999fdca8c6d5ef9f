import { createHash } from 'node:crypto';
import type { Column, PlannedColumn } from '../arrow/column-plan';
import { integerColumns } from '../arrow/column-plan';
import { encodeParts, lengthOf } from '../arrow/encode';
import type { EntryRows } from '../arrow/entry-rows';
import { byEntry, ofEntries } from '../arrow/entry-rows';
import { mappedDictionary } from '../arrow/mapped';
import type { Asked, Bodies, Body, BodyOf, HeldBody, Made, Read } from '../bodies';
import type { Reservation } from '../budget';
import type { Encoding } from '../compress';
import { compress } from '../compress';
import type { Database, Transaction } from '../db/database';
import type { Label } from '../db/log';
import { countedRows, entryLabels } from '../db/log';
import { getVersion } from '../db/versions';
import { AppError } from '../errors';
import type { ForecastColumn } from '../sql/forecast-columns';
import type { SqlText } from '../sql/quote';
import { commas, sql } from '../sql/quote';
import { substitute } from '../sql/tokens';
import { blameClient } from './client-faults';
import { readVersion, storedTemplate } from './forecast-version';
import { planColumns, readColumns } from './read-columns';

/** About what one cell takes: an amount has 8 bytes, an id, a day or the code of a text 4, and room to grow. */
const CELL_BYTES = 8;

type ReadOperation = 'get_data' | 'get_agg';

/** What a read finds, as one snapshot has it. */
interface State {
  versionId: number;
  operation: ReadOperation;
  /** The stored template with its tokens filled in. */
  select: SqlText;
  /** Those of the forecast table. */
  columns: ForecastColumn[];
  /** Of the live entries, oldest first. */
  labels: Label[];
  /**
   * Two states of the same name make the same answer. The rows of an entry never change and its id
   * never comes back, so the live entries tell which rows there are.
   */
  of: BodyOf;
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
 * @param asked how the client wants the rows
 * @throws AppError 404 if there is no such version or template; 422 for a value Arrow cannot hold, and
 * for rows that take more than the whole budget; 503 if a turn or memory does not come in time
 */
export async function readForecast(
  { db, bodies }: { db: Database; bodies: Bodies },
  versionId: number,
  operation: ReadOperation,
  asked: Asked,
): Promise<Read> {
  try {
    // A snapshot of its own, so that every reader gets what was committed before it asked.
    const { of } = await db.versionRead(versionId, (tx) => stateOf(tx, versionId, operation));
    if (asked.isKnown(of.state)) return { kind: 'unchanged', state: of.state };
    const plain = () => plainBody(db, bodies, versionId, operation, of, asked.signal);
    const body = asked.encoding
      ? await compressedBody(bodies, of, asked.encoding, plain, asked.signal)
      : await plain();
    return { kind: 'rows', ...body };
  } catch (error) {
    // If the version was deleted meanwhile, its table is gone with it; the 404 then names the version.
    if (error instanceof AppError && [404, 409].includes(error.status)) {
      await getVersion(db, versionId);
    }
    throw error;
  }
}

/** The rows of a state, or of a newer one, as they are. */
function plainBody(
  db: Database,
  bodies: Bodies,
  versionId: number,
  operation: ReadOperation,
  of: BodyOf,
  signal: AbortSignal,
): Promise<HeldBody> {
  const shared = bodies.find(of.state);
  if (shared) {
    bodies.hits += 1;
    return shared.read(signal);
  }
  bodies.misses += 1;
  const body = bodies.begin(of);
  const reading = body.read(signal);
  void body.make(() => makeBody(db, bodies, body, versionId, operation));
  return reading;
}

/** The rows of a state, or of a newer one, compressed: once for all who want them so. */
async function compressedBody(
  bodies: Bodies,
  of: BodyOf,
  encoding: Encoding,
  plain: () => Promise<HeldBody>,
  signal: AbortSignal,
): Promise<HeldBody> {
  const packed = ({ state, series }: BodyOf): BodyOf => ({
    state: `${state} ${encoding}`,
    series: `${series} ${encoding}`,
  });
  const shared = bodies.find(packed(of).state);
  if (shared) {
    bodies.hits += 1;
    return shared.read(signal);
  }
  const held = await plain();
  // Without rows there is nothing to compress, and some clients do not take no bytes for compressed.
  if (held.rowCount === 0) return held;
  const newer = packed({ ...of, state: held.state });
  const same = bodies.find(newer.state);
  if (same) {
    held.release();
    return same.read(signal);
  }
  const body = bodies.begin(newer);
  const reading = body.read(signal);
  void body
    .make(() =>
      bodies.budget.run(async (memory) => {
        body.holds(memory);
        const grow = (bytes: number) => memory.grow(bytes);
        const parts = await compress(held.parts, encoding, grow, body.signal);
        const { rowCount, length, state } = held;
        return { parts, rowCount, length, state, encoding, rows: undefined };
      }, body.signal),
    )
    .finally(held.release);
  return reading;
}

async function stateOf(
  tx: Transaction,
  versionId: number,
  operation: ReadOperation,
): Promise<State> {
  const { version, source, columns, table } = await readVersion(tx, versionId);
  const template = await storedTemplate(tx, source.id, operation);
  const select = substitute(template, { fc_table: table, version_id: sql`${version.id}` });
  const labels = await entryLabels(tx, versionId);
  const series = digest([
    versionId,
    operation,
    select,
    columns.map((c) => [c.name, c.type, c.role]),
  ]);
  const shown = labels.map((e) => (operation === 'get_data' ? [e.id, e.operation, e.note] : e.id));
  return {
    versionId,
    operation,
    select,
    columns,
    labels,
    of: { series, state: digest([series, shown]) },
  };
}

const digest = (facts: unknown): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('base64url');

/**
 * Reads the rows, in a snapshot that is newer than the one by which the body was begun. Each attempt
 * takes another one: a read that kept a connection while it waited for memory would keep it from those
 * it waits for.
 */
const makeBody = (
  db: Database,
  bodies: Bodies,
  body: Body,
  versionId: number,
  operation: ReadOperation,
): Promise<Made> =>
  bodies.budget.run((memory) => {
    body.holds(memory);
    return db.versionRead(versionId, async (tx) => {
      const state = await stateOf(tx, versionId, operation);
      body.becomes(state.of);
      const before = bodies.borrow(state.of.series);
      try {
        // Most of its rows are in the next body, too.
        if (before) memory.expect(before.bytes);
        return await encodeRows(tx, state, before?.rows, memory, body.signal);
      } finally {
        before?.release();
      }
    });
  }, body.signal);

/** @param before rows of another state of the same series, if there are any */
async function encodeRows(
  tx: Transaction,
  state: State,
  before: EntryRows | undefined,
  memory: Reservation,
  signal: AbortSignal,
): Promise<Made> {
  const { versionId, operation, select, columns, labels, of } = state;
  const plan = await blameClient({ words: operation }, () =>
    planColumns(tx, select, columns, 'measure'),
  );
  if (operation === 'get_data') {
    // So a read that cannot succeed now is not begun. How many groups a grain makes is not known.
    memory.expect(CELL_BYTES * plan.length * (await countedRows(tx, versionId)));
  }
  const { read, rows, rowCount } = await rowsOf(tx, state, plan, before, memory, signal);
  const logids = read.find((c) => c.name === 'pf_logid');
  const shown = [...read];
  if (operation === 'get_data' && logids) {
    shown.push(
      mappedDictionary('pf_note', logids, new Map(labels.map((e) => [e.id, e.note]))),
      mappedDictionary('pf_op', logids, new Map(labels.map((e) => [e.id, e.operation]))),
    );
  }
  const parts = encodeParts(shown);
  const length = lengthOf(parts);
  memory.grow(length);
  // The system gives no memory for the room behind the columns, which nothing has been written to.
  memory.trim(length);
  return { parts, rowCount, rows, length, state: of.state };
}

/** The rows of a state: those of entries that nobody has read before are read. */
async function rowsOf(
  tx: Transaction,
  { select, labels }: State,
  plan: readonly PlannedColumn[],
  before: EntryRows | undefined,
  memory: Reservation,
  signal: AbortSignal,
): Promise<{ read: readonly Column[]; rows: EntryRows | undefined; rowCount: number }> {
  const entries = labels.map(({ id }) => id);
  const integers = integerColumns(plan);
  const missing = before ? entries.filter((id) => !before.places.has(id)) : entries;
  // A statement that picks entries out would be slower if it picked them all.
  const isPart = before !== undefined && missing.length < entries.length;
  const found =
    isPart && missing.length === 0
      ? undefined
      : await readColumns(tx, isPart ? ofEntry(select, missing) : select, plan, memory, signal);
  const fresh = found && (await byEntry(found.columns, isPart ? missing : entries, integers));
  if (isPart && (!found || fresh)) {
    const sources = fresh ? [before, fresh] : [before];
    const rows = await ofEntries(entries, sources, integers);
    return { read: rows.columns, rows, rowCount: rows.columns[0]?.data.length ?? 0 };
  }
  if (isPart || !found) throw new Error('The rows of an entry do not tell which entry they are of');
  return { read: fresh?.columns ?? found.columns, rows: fresh, rowCount: found.rowCount };
}

/** A select of the rows of some entries only. Every template answers `pf_logid`, and groups by it. */
const ofEntry = (select: SqlText, entries: readonly number[]): SqlText =>
  sql`SELECT * FROM (${select}
) AS entry WHERE pf_logid IN (${commas(entries.map((id) => sql`${id}`))})`;
