import { createHash } from 'node:crypto';
import { encodeParts, lengthOf } from '../arrow/encode';
import { mappedDictionary } from '../arrow/mapped';
import type { Bodies, Body, HeldBody, Made } from '../bodies';
import type { Reservation } from '../budget';
import type { Database, Transaction } from '../db/database';
import type { Label } from '../db/log';
import { countedRows, entryLabels } from '../db/log';
import { getVersion } from '../db/versions';
import { AppError } from '../errors';
import type { ForecastColumn } from '../sql/forecast-columns';
import type { SqlText } from '../sql/quote';
import { sql } from '../sql/quote';
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
  /** Of the live entries. */
  labels: Label[];
  /**
   * Equal for two states that make the same bytes. The rows of an entry never change and its id never
   * comes back, so the live entries tell which rows there are.
   */
  fingerprint: string;
}

/**
 * A version's forecast rows as one Arrow record batch: raw with note and operation, or at the grain
 * (docs/contract/04-data-loading.md). No rows make a body of no bytes.
 *
 * The statement is the stored template. Note and operation come from the log in the same snapshot,
 * which costs less than a join per row. Readers of one state share one body, and
 * all bodies share one budget of memory. The caller releases the body.
 *
 * @param signal tells that the client has gone away; if nobody else waits for the rows, that ends the
 * statement
 * @throws AppError 404 if there is no such version or template; 422 for a value Arrow cannot hold, and
 * for rows that take more than the whole budget; 503 if a turn or memory does not come in time
 */
export async function readForecast(
  db: Database,
  bodies: Bodies,
  versionId: number,
  operation: ReadOperation,
  signal: AbortSignal,
): Promise<HeldBody> {
  try {
    // A snapshot of its own, so that every reader gets what was committed before it asked.
    const { fingerprint } = await db.versionRead(versionId, (tx) =>
      stateOf(tx, versionId, operation),
    );
    const shared = bodies.find(fingerprint);
    if (shared) return await shared.read(signal);
    const body = bodies.begin(fingerprint);
    const reading = body.read(signal);
    void body.make(() => makeBody(db, bodies, body, versionId, operation));
    return await reading;
  } catch (error) {
    // If the version was deleted meanwhile, its table is gone with it; the 404 then names the version.
    if (error instanceof AppError && [404, 409].includes(error.status)) {
      await getVersion(db, versionId);
    }
    throw error;
  }
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
  const shown = labels.map((e) => (operation === 'get_data' ? [e.id, e.note] : e.id));
  const facts = [versionId, operation, select, columns.map((c) => [c.name, c.type, c.role]), shown];
  return {
    versionId,
    operation,
    select,
    columns,
    labels,
    fingerprint: createHash('sha256').update(JSON.stringify(facts)).digest('base64'),
  };
}

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
      body.becomes(state.fingerprint);
      return encodeRows(tx, state, memory, body.signal);
    });
  }, body.signal);

async function encodeRows(
  tx: Transaction,
  { versionId, operation, select, columns, labels }: State,
  memory: Reservation,
  signal: AbortSignal,
): Promise<Made> {
  const plan = await blameClient({ words: operation }, () =>
    planColumns(tx, select, columns, 'measure'),
  );
  if (operation === 'get_data') {
    // So a read that cannot succeed now is not begun. How many groups a grain makes is not known.
    memory.expect(CELL_BYTES * plan.length * (await countedRows(tx, versionId)));
  }
  const { columns: read, rowCount } = await readColumns(tx, select, plan, memory, signal);

  const logids = read.find((c) => c.name === 'pf_logid');
  if (operation === 'get_data' && logids) {
    read.push(
      mappedDictionary('pf_note', logids, new Map(labels.map((e) => [e.id, e.note]))),
      mappedDictionary('pf_op', logids, new Map(labels.map((e) => [e.id, e.operation]))),
    );
  }
  const parts = encodeParts(read);
  const bytes = lengthOf(parts);
  memory.grow(bytes);
  // The system gives no memory for the room behind the columns, which nothing has been written to.
  memory.trim(bytes);
  return { parts, rowCount };
}
