/** Territories of a source: their list, their changes, and the endpoints that they refuse. */
import type { Audited } from '../../../contract/audit';
import type { Endpoint } from '../../../contract/endpoints';
import type { AskedSlice, Slice } from '../../../contract/slices';
import { MOST_CONDITIONS } from '../../../contract/primitives';
import { usableSlice } from '../../../contract/slices';
import type {
  CreateTerritoryRequest,
  EditTerritoryRequest,
  Territory,
} from '../../../contract/territories';
import type { Config } from '../../config';
import { listColumns, sourceColumns } from '../../db/setup/column-metadata';
import type { Database } from '../../db/database';
import { recordChange } from '../../db/log/audit';
import { hasAnswer, type WriteKey } from '../../db/log/idempotency';
import { tellAll } from '../../db/connection/notify';
import { found } from '../../db/connection/queryable';
import { storedLookups } from '../../db/setup/lookups';
import { getSource, lockSource } from '../../db/setup/sources';
import {
  anyTerritories,
  deleteTerritory,
  findReach,
  getTerritory,
  insertTerritory,
  isNamed,
  listTerritories,
  readsAPart,
  type Reach,
  type Named,
  updateTerritory,
} from '../../db/people/territories';
import type { Transaction } from '../../db/connection/transaction';
import { lockVersionsOf } from '../../db/versions/versions';
import { AppError, faultAt, fieldPlace } from '../../errors';
import { membersOf, reaches } from '../../sender';
import { forecastColumns } from '../../sql/forecast-columns';
import { compileSlice } from '../../sql/slice';
import { joinLookups } from '../version/lookups';
import { fieldsFor, matchedKeys } from '../version/territory';

const SINGULAR: Readonly<Record<Named, string>> = {
  sources: 'source',
  versions: 'version',
  log: 'log entry',
  comments: 'comment',
  locks: 'lock',
  reviews: 'review',
  alerts: 'alert',
  views: 'view',
  profiles: 'profile',
  formulas: 'formula',
  lookups: 'lookup',
  territories: 'territory',
  published: 'published plan',
};

/**
 * Refuses a request about something that the sender does not reach: by the sources of the token
 * (docs/contract/20-who-is-signed-in.md#sources-of-a-token) or by the territories
 * (docs/contract/20-who-is-signed-in.md#territories). Lists of several sources are filtered by their own queries.
 * Endpoints that are narrowed or judged check territories with their own statements, in the snapshot that they read. If
 * they take a body, the 404 comes first here too, except for {@link ONE_BY_ONE} and a sender who reads a part.
 *
 * @param params the parameters of the path
 * @param sent identifies the request if it may be a repeated one
 * @throws AppError 403 for an endpoint that belongs to no source, and for a sender whose territories do not cover the
 * source; 404 for something of another source than those of the token, and for a sender without a territory, as for an
 * unknown id
 */
export async function requireReached(
  db: Database,
  endpoint: Endpoint,
  params: Partial<Record<string, string>>,
  sent: Pick<WriteKey, 'path' | 'key'> | undefined,
): Promise<void> {
  const ofSomeSources = db.sender.sources !== null;
  const checksItself = isNarrowed(endpoint) && endpoint.method === 'get';
  const members = checksItself ? undefined : membersOf(db.sender);
  if (!ofSomeSources && members === undefined) return;
  const place = placeIn(endpoint.path, params);
  if (place === null) {
    if (ofSomeSources && endpoint.territories === 'refused') {
      throw new AppError(403, 'A token for some sources may not do this: it concerns no source');
    }
    if (members !== undefined) await requireOpen(db, endpoint);
    return;
  }
  // The handler refuses a parameter that is not an id.
  if (!isId(place)) return;
  const reach = await findReach(db, place.kind, place.id, members ?? []);
  // A repeated write about something that is gone gets its stored answer later.
  const isRepeated = reach === undefined && sent !== undefined && (await hasAnswer(db, sent));
  if (ofSomeSources && !isRepeated) {
    const isReached = reach !== undefined && reaches(db.sender, reach.sourceId);
    found(isReached || undefined, nameOf(place));
  }
  if (members !== undefined)
    await requireTerritory(db, endpoint, members, place, { reach, isRepeated });
}

/** Something that a path names. */
interface Place {
  kind: Named;
  id: number;
}

const nameOf = ({ kind, id }: Place): string => `${SINGULAR[kind]} ${id}`;

/** What a path names; null for a path without anything of a source. */
function placeIn(path: string, params: Partial<Record<string, string>>): Place | null {
  const [, kind = '', name] = path.split('/');
  const id = /^\{(\w+)\}$/.exec(name ?? '')?.[1];
  return id === undefined || !isNamed(kind) ? null : { kind, id: Number(params[id]) };
}

/** @throws AppError 403 for an endpoint of all sources while one has territories */
async function requireOpen(db: Database, endpoint: Endpoint): Promise<void> {
  if (endpoint.territories !== 'refused' || !(await anyTerritories(db))) return;
  throw new AppError(
    403,
    `Only an admin may do this while a source has territories${reasonOf(endpoint)}`,
  );
}

/** @throws AppError as {@link requireReached} for an endpoint of something of a source */
async function requireTerritory(
  db: Database,
  endpoint: Endpoint,
  members: readonly string[],
  place: Place,
  { reach, isRepeated }: { reach: Reach | undefined; isRepeated: boolean },
): Promise<void> {
  if (await mayBeOutside(db, place.kind, members, reach)) {
    // The handler checks the body first, and then answers 404 for an id outside and for an unknown id.
    if (!isNarrowed(endpoint)) throw partRefusal(endpoint);
  } else if (!isRepeated) {
    // Before the body is read, or its errors would tell an unknown id from one that the sender may not see. A
    // repeated undo is answered although its entry is gone.
    const own = found(reach?.isVisible ? reach : undefined, nameOf(place));
    if (endpoint.territories === 'refused' && !covers(own, endpoint)) throw partRefusal(endpoint);
  }
}

/** Whether an endpoint checks the rows with its own statements, in the snapshot that they read. */
const isNarrowed = ({ territories }: Endpoint): boolean =>
  territories === 'narrowed' || territories === 'judged';

/** Whether somebody reads all of a source, and changes all of it if the endpoint writes. */
const covers = ({ readsAll, writesAll }: Reach, { method, role }: Endpoint): boolean =>
  readsAll && (writesAll || method === 'get' || role === 'reader');

/** Kinds of which a person with a part of a source sees only those inside. */
const ONE_BY_ONE: ReadonlySet<Named> = new Set<Named>([
  ...(['log', 'comments', 'locks', 'reviews', 'alerts', 'views', 'profiles'] as const),
]);

/**
 * Whether an id may belong to something outside the part that the sender sees. That includes unknown ids, because both
 * are answered alike.
 */
const mayBeOutside = async (
  db: Database,
  kind: Named,
  members: readonly string[],
  reach: Reach | undefined,
): Promise<boolean> =>
  ONE_BY_ONE.has(kind) && !(reach?.isVisible && reach.readsAll) && (await readsAPart(db, members));

const partRefusal = (endpoint: Endpoint): AppError =>
  new AppError(
    403,
    `This is not available for a part of a source, and your territories are a part of this one${reasonOf(endpoint)}`,
  );

/** Why an endpoint needs all of a source, to be added to a sentence. */
const reasonOf = (endpoint: Endpoint): string =>
  endpoint.because === undefined ? '' : `: ${endpoint.because}`;

/** Whether a number can be an id: an entry's is a bigint, every other an integer. */
const isId = ({ id, kind }: Place): boolean =>
  Number.isSafeInteger(id) && id >= 1 && (kind === 'log' || id < 2 ** 31);

/** The territories of a source, oldest first. @throws AppError 404 */
export async function territories(db: Database, sourceId: number): Promise<Territory[]> {
  const { id } = await getSource(db, sourceId);
  return listTerritories(db, id);
}

/**
 * Gives a member a part of a source.
 *
 * @throws AppError 400 without sign-in, if everybody is an admin, or for a slice that cannot be used; 404 without such
 * a source; 422 if the member has too many territories
 */
export const createTerritory = (
  { db, config }: { db: Database; config: Pick<Config, 'signIn'> },
  sourceId: number,
  { member, read, write, pf_user }: CreateTerritoryRequest,
): Promise<Territory> =>
  db.transaction(async (tx) => {
    requireSignIn(config);
    await changing(tx, sourceId);
    await requireRoom(tx, sourceId, member);
    const checked = await sliceCheck(tx, sourceId);
    const fields = {
      member,
      read: await checked(read, 'read'),
      write: write && (await checked(write, 'write')),
    };
    const created = await insertTerritory(tx, sourceId, fields, pf_user ?? null);
    await recordTerritory(tx, 'territory created', null, created, pf_user);
    return created;
  });

/**
 * Changes the fields that the request names.
 *
 * @throws AppError 400 for a slice of the request that cannot be used, 404; 422 if the new member has too many territories
 */
export const editTerritory = (
  db: Database,
  id: number,
  edit: EditTerritoryRequest,
): Promise<Territory> =>
  db.transaction(async (tx) => {
    const { source_id } = await getTerritory(tx, id);
    await changing(tx, source_id);
    const current = await getTerritory(tx, id);
    const { member = current.member, read, write } = edit;
    if (member !== current.member) await requireRoom(tx, source_id, member);
    const checked = await sliceCheck(tx, source_id);
    const edited = await updateTerritory(tx, id, {
      member,
      read: read ? await checked(read, 'read') : current.read,
      write: write ? await checked(write, 'write') : write === null ? null : current.write,
    });
    await recordTerritory(tx, 'territory changed', current, edited);
    return edited;
  });

/** @throws AppError 404 */
export const removeTerritory = (db: Database, id: number): Promise<void> =>
  db.transaction(async (tx) => {
    const { source_id } = await getTerritory(tx, id);
    await changing(tx, source_id);
    const current = await getTerritory(tx, id);
    found((await deleteTerritory(tx, id)) || undefined, `territory ${id}`);
    await recordTerritory(tx, 'territory deleted', current, null);
  });

/** Records a change of a territory in the audit. */
async function recordTerritory(
  tx: Transaction,
  action: Audited,
  before: Territory | null,
  after: Territory | null,
  pf_user?: string,
): Promise<void> {
  const territory = after ?? before;
  if (!territory) return;
  const shown = (state: Territory | null) =>
    state && { member: state.member, read: state.read, write: state.write };
  await recordChange(tx, {
    action,
    pf_user,
    source_id: territory.source_id,
    territory_id: territory.id,
    before: shown(before),
    after: shown(after),
  });
}

/**
 * Waits for the writes to all versions of a source, which have been judged by its territories, and holds back
 * later ones. The open event streams end when the change is committed.
 */
async function changing(tx: Transaction, sourceId: number): Promise<void> {
  await lockSource(tx, sourceId, 'UPDATE');
  await lockVersionsOf(tx, sourceId);
  await tellAll(tx, sourceId);
}

/** @throws AppError 400 */
function requireSignIn({ signIn }: Pick<Config, 'signIn'>): void {
  if (signIn === null) {
    throw new AppError(
      400,
      'Territories need signed-in people: set PF_USER_HEADER (docs/operating.md)',
    );
  }
  if (signIn.admins === null) {
    throw new AppError(
      400,
      'Territories do not limit admins, and without PF_ADMINS every planner is one: set PF_ADMINS (docs/operating.md)',
    );
  }
}

/** @throws AppError 422 if a member has as many territories of a source as a list may have conditions */
async function requireRoom(tx: Transaction, sourceId: number, member: string): Promise<void> {
  const all = await listTerritories(tx, sourceId);
  if (all.filter((territory) => territory.member === member).length < MOST_CONDITIONS) return;
  throw new AppError(
    422,
    `${member} already has ${MOST_CONDITIONS} territories of this source; join some of them, since a slice can list several values`,
    { field: 'member' },
  );
}

/**
 * Returns a function that checks a slice of a territory of a source, and returns it as it is stored. The function throws
 * AppError 400 naming the slice and the column, and 409 for an attribute whose lookup cannot be joined.
 */
async function sliceCheck(
  tx: Transaction,
  sourceId: number,
): Promise<(asked: AskedSlice, field: 'read' | 'write') => Promise<Slice>> {
  const source = await getSource(tx, sourceId);
  const records = await listColumns(tx, source);
  const columns = forecastColumns(sourceColumns(records));
  const lookups = await joinLookups(tx, await storedLookups(tx, sourceId), columns, records);
  return async (asked, field) => {
    const slice = usableSlice(asked);
    const { skipped, matched } = compileSlice(asked, fieldsFor(slice, { columns, lookups }), field);
    const refusal = (column: string, problem: string) =>
      faultAt({ ...fieldPlace(`${field}.${column}`), column }, 400, problem);
    const [column] = skipped;
    if (column !== undefined) {
      throw refusal(
        column,
        'is not a dimension or date of the source, or an attribute of a lookup',
      );
    }
    for (const { attribute } of matched) {
      const wanted = slice[attribute.name];
      if (wanted !== null && !(Array.isArray(wanted) && wanted.includes(null))) continue;
      throw refusal(
        attribute.name,
        'a territory cannot name the empty value of an attribute, because it includes keys that the table lacks',
      );
    }
    await matchedKeys(tx, matched);
    return slice;
  };
}
