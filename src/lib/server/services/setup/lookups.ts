/** Lookups of a source: storing them, and checking them against their tables. */
import {
  type CheckedLookup,
  convertedColumns,
  type CreateLookupRequest,
  type EditLookupRequest,
  joiningColumns,
  Lookup,
  namesAdded,
} from '../../../contract/lookups';
import { whyNotNamed } from '../../../contract/formulas';
import type { Source } from '../../../contract/sources';
import { readsPart } from '../../../contract/territories';
import { listColumns, sourceColumns } from '../../db/setup/column-metadata';
import { tableExists } from '../../db/setup/catalog';
import {
  formulaNames,
  noteFormerAttributes,
  keysIn,
  type StoredLookup,
  storedLookups,
  useOfAttributes,
} from '../../db/setup/lookups';
import type { Database } from '../../db/database';
import type { Queryable } from '../../db/connection/queryable';
import { getSource } from '../../db/setup/sources';
import type { Transaction } from '../../db/connection/transaction';
import { AppError, fieldPlace } from '../../errors';
import { forecastColumns } from '../../sql/forecast-columns';
import { notUnique, repeatedKeys } from '../../sql/lookups';
import { sql } from '../../sql/quote';
import { blameSource } from '../client-faults';
import { type CheckedJoin, joinLookups } from '../version/lookups';
import { operationsOn } from './named';

const CONTENT = {
  ...{ schema: sql`text`, tname: sql`text` },
  ...{ keys: sql`jsonb`, range: sql`jsonb`, attributes: sql`jsonb`, conversions: sql`jsonb` },
};
const stored = operationsOn({ kind: 'lookup', schema: Lookup, content: CONTENT }, refuse);

/** The lookups of a source, sorted by name. @throws AppError 404 */
export async function listLookups(db: Database, sourceId: number): Promise<CheckedLookup[]> {
  return checked(db, sourceId, await stored.list(db, sourceId));
}

/**
 * Stores a lookup. @throws AppError 404 for a source or table that does not exist; 400 for what cannot be joined; 422
 * for keys that have several rows; 409 if the name is taken
 */
export async function createLookup(
  db: Database,
  sourceId: number,
  request: CreateLookupRequest & { pf_user: string },
): Promise<CheckedLookup> {
  const { attributes = [], conversions = [], keys = [], range = null, ...others } = request;
  const content = { ...others, keys, range, attributes: attributes.map(complete), conversions };
  return first(db, await stored.create(db, sourceId, content));
}

/** Changes the fields that the request names. @throws AppError as {@link createLookup}, and as {@link deleteLookup} */
export async function editLookup(
  db: Database,
  id: number,
  { attributes, ...edit }: EditLookupRequest,
): Promise<CheckedLookup> {
  return first(db, await stored.edit(db, id, { ...edit, attributes: attributes?.map(complete) }));
}

/** @throws AppError 404; 409 while a territory, a lock, a review or an open comment names one of its attributes */
export const deleteLookup = stored.remove;

const complete = ({
  cname,
  label = cname,
  order_by = null,
}: NonNullable<CreateLookupRequest['attributes']>[number]) => ({ cname, label, order_by });

async function first(db: Database, lookup: Lookup): Promise<CheckedLookup> {
  const [only] = await checked(db, lookup.source_id, [lookup]);
  return { ...lookup, problem: only?.problem ?? null };
}

async function checked(
  db: Database,
  sourceId: number,
  lookups: readonly Lookup[],
): Promise<CheckedLookup[]> {
  if (lookups.length === 0) return [];
  const source = await getSource(db, sourceId);
  const joins = await joinsOf(db, source, lookups);
  const answers: CheckedLookup[] = [];
  for (const [i, lookup] of lookups.entries()) {
    const join = joins[i];
    answers.push({
      ...lookup,
      problem: join ? await problemOf(db, join, readsPart(source)) : null,
    });
  }
  return answers;
}

async function joinsOf(db: Queryable, source: Source, lookups: readonly StoredLookup[]) {
  const columns = await listColumns(db, source);
  return joinLookups(db, lookups, forecastColumns(sourceColumns(columns)), columns);
}

/** @param isPart whether the sender reads only a part of the source */
async function problemOf(
  db: Queryable,
  join: CheckedJoin,
  isPart: boolean,
): Promise<string | null> {
  if ('problem' in join) return join.problem;
  try {
    const keys = await repeated(db, join, 1, isPart);
    return keys.length > 0 ? notUnique(join.joined) : null;
  } catch (error) {
    if (error instanceof AppError && error.status === 422) return error.message;
    throw error;
  }
}

/** Keys that have several rows. @throws AppError 422 if the table cannot be read */
const repeated = async (
  db: Queryable,
  { lookup, joined }: Extract<CheckedJoin, { joined: unknown }>,
  most: number,
  isPart = false,
): Promise<string[]> =>
  joined.isUnique ? [] : blameSource(lookup, () => keysIn(db, repeatedKeys(joined, most)), isPart);

/** Number of keys that an error names. */
const MOST_NAMED = 3;

/** @throws AppError as {@link createLookup}, and as {@link deleteLookup} for attributes that go */
async function refuse(
  tx: Transaction,
  source: Source,
  edit: Partial<Omit<StoredLookup, 'id'>> | undefined,
  current: Lookup | undefined,
): Promise<void> {
  if (current)
    await dropAttributes(tx, source, current, edit?.attributes ?? (edit ? current.attributes : []));
  if (!edit) return;
  const { id = 0, schema = '', tname = '' } = current ?? {};
  const lookup: StoredLookup = {
    ...{ id, name: '', schema, tname, keys: [], range: null, attributes: [] },
    conversions: [],
    ...current,
    ...Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)),
  };
  const columns = joiningColumns(lookup);
  if (columns.length === 0) throw refusal('keys', 'name keys, a range, or both');
  if (namesAdded(lookup).length === 0) {
    throw refusal('attributes', 'name attributes, conversions, or both');
  }
  const twice = columns.find((name, i) => columns.indexOf(name) < i);
  if (twice !== undefined) throw refusal('keys', `"${twice}" is named twice`);
  const isCalendar = lookup.schema === 'pf' && lookup.tname === 'dim_period';
  const isStored = lookup.schema === schema && lookup.tname === tname;
  // Such a token reads no tables, and a lookup would answer the rows of any.
  if (tx.sender.sources !== null && !isCalendar && !isStored) {
    throw new AppError(403, 'A token for some sources may not choose a table', { field: 'tname' });
  }
  if (!isCalendar && !(await tableExists(tx, lookup.schema, lookup.tname))) {
    throw new AppError(404, `There is no table ${lookup.schema}.${lookup.tname}`, {
      field: 'tname',
    });
  }
  const [join] = await joinsOf(tx, source, [lookup]);
  if (!join) return;
  if ('problem' in join) throw refusal(join.field, join.problem);
  await requireFreeLabels(tx, source, lookup);
  const keys = await repeated(tx, join, MOST_NAMED);
  if (keys.length > 0) {
    const named = keys.map((key) => `“${key}”`).join(', ');
    const field = lookup.keys.length > 0 ? 'keys' : 'range';
    throw new AppError(422, `${notUnique(join.joined)}: ${named}`, fieldPlace(field));
  }
}

const refusal = (field: string, problem: string) =>
  new AppError(400, `${field}: ${problem}`, { field });

/**
 * @throws AppError 400 if another lookup or a formula of the source has the name of an attribute or a conversion, or if
 * one of these names is reserved for parts of a conversion
 */
async function requireFreeLabels(
  tx: Transaction,
  source: Source,
  lookup: StoredLookup,
): Promise<void> {
  const others = (await storedLookups(tx, source.id)).filter(({ id }) => id !== lookup.id);
  const formulas = await formulaNames(tx, source.id);
  const conversions = convertedColumns([lookup, ...others]);
  const taken = [...formulas, ...others.flatMap(namesAdded).map(({ label }) => label)];
  for (const { label, field } of namesAdded(lookup)) {
    const columns = conversions.filter(({ cname }) => cname !== label);
    const part =
      columns.length < conversions.length
        ? taken.find((name) => whyNotNamed(name, [{ cname: label }]) !== null)
        : undefined;
    const other = others.find((each) => namesAdded(each).some((one) => one.label === label));
    const problem = other
      ? `The lookup “${other.name}” has a field named "${label}"`
      : formulas.includes(label)
        ? `The source has a formula named "${label}"`
        : part !== undefined
          ? `The source has the name "${part}", which would be one of a part of "${label}"`
          : whyNotNamed(label, columns);
    if (problem !== null) throw refusal(field, problem);
  }
}

/**
 * Notes the attributes of a lookup that are not kept, so that slices that name them are refused.
 *
 * @throws AppError 409 while a territory, a lock, a review or an open comment names one
 */
async function dropAttributes(
  tx: Transaction,
  source: Source,
  { attributes }: Lookup,
  kept: readonly { label: string }[],
): Promise<void> {
  const gone = attributes.flatMap(({ label }) =>
    kept.some((one) => one.label === label) ? [] : label,
  );
  if (gone.length === 0) return;
  const use = await useOfAttributes(tx, source.id, gone);
  if (use) {
    const { kind, id } = use;
    throw new AppError(
      409,
      `${kind} ${id} names an attribute of this lookup; delete the ${kind} first`,
    );
  }
  await noteFormerAttributes(tx, source.id, gone);
}
