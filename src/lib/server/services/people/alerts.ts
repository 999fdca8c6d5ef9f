/** Alerts of versions: who sees and changes them, and for which groups they hold (docs/contract/25-alerts.md). */
import { isDeepStrictEqual } from 'node:util';
import type {
  AlertGroup,
  AlertGroupsAnswer,
  AlertRequest,
  EditAlertRequest,
  OwnAlert,
} from '../../../contract/alerts';
import { Alert, GROUPS_OF_PAGE, mayChangeAlert, MOST_ALERTS } from '../../../contract/alerts';
import type { VersionEvent } from '../../../contract/events';
import type { Person } from '../../../contract/reviews';
import type { AskedSlice, Slice } from '../../../contract/slices';
import type { Database } from '../../db/database';
import type { WriteKey } from '../../db/log/idempotency';
import { tell, tellEach } from '../../db/connection/notify';
import { found } from '../../db/connection/queryable';
import type { Transaction } from '../../db/connection/transaction';
import type { AlertFields, StoredAlert } from '../../db/people/alerts';
import {
  countAlerts,
  deleteAlert,
  findAlert,
  forgetGroups,
  groupCounts,
  insertAlert,
  listAlerts,
  listGroups,
  listOwnAlerts,
  resolveUnanswered,
  updateAlert,
} from '../../db/people/alerts';
import { lockVersion } from '../../db/versions/versions';
import { AppError, either } from '../../errors';
import { once } from '../entries/idempotency';
import type { Resources } from '../entries/writer';
import { requireReadable } from '../version/changeable';
import type { ForecastVersion, LimitedVersion } from '../version/forecast-version';
import { limited, readLimited, readVersion, sliceToStore } from '../version/forecast-version';
import { sliceInside } from '../version/locks-inside';
import { isInside } from '../version/slices-inside';
import { commentEvents } from './alert-evaluation';
import {
  groupedFields,
  hasGroupsInside,
  measureOf,
  requireShort,
  sliceOfGroup,
} from './alert-level';

/**
 * The alerts of a version, oldest first. A sender who reads a part gets those that can have groups inside; each names
 * only values that rows inside have, and counts only groups inside. @throws AppError 404
 */
export async function alerts(db: Database, versionId: number): Promise<Alert[]> {
  const limits = await readLimited(db, versionId);
  if (limits) return (await alertsInside(db, limits)).map(({ alert }) => alert);
  const all = await listAlerts(db, versionId);
  const counts = await groupCounts(
    db,
    all.map(({ id }) => id),
  );
  return all.map((alert) => answered(alert, counts.get(alert.id)?.holding ?? 0));
}

/** The alerts that a sender who reads a part sees, with their groups inside; none for a sender who reads everything. */
export async function seenAlerts(
  db: Database,
  versionId: number,
): Promise<{ alert: Alert; groups: AlertGroup[] }[]> {
  const limits = await readLimited(db, versionId);
  return limits ? alertsInside(db, limits) : [];
}

async function alertsInside(
  db: Database,
  limits: LimitedVersion,
): Promise<{ alert: Alert; groups: AlertGroup[] }[]> {
  const all = await listAlerts(db, limits.version.id);
  if (all.length === 0) return [];
  return db.versionRead(limits.version.id, async (tx) => {
    const seen: { alert: Alert; groups: AlertGroup[] }[] = [];
    for (const alert of all) {
      const inside = await readInside(tx, limits, alert);
      if (!inside) continue;
      const { shown, groups } = inside;
      seen.push({ alert: answered(shown, holdingOf(groups)), groups });
    }
    return seen;
  });
}

const answered = ({ problem, ...alert }: StoredAlert, holding: number): Alert => ({
  ...alert,
  holding,
  ...(problem !== null && { problem }),
});

const holdingOf = (groups: readonly AlertGroup[]): number =>
  groups.filter(({ ended_at }) => ended_at === undefined).length;

/** An alert as a sender who reads a part may see it; undefined if they may not. */
async function shownAlert(
  tx: Transaction,
  target: LimitedVersion,
  alert: StoredAlert,
): Promise<StoredAlert | undefined> {
  const { read } = target.part;
  // The reason may name fields and lookups of the rest.
  const problem = alert.problem === null ? null : 'It cannot be evaluated now';
  if (isInside(alert.slice, read)) return { ...alert, problem };
  if (!hasGroupsInside(alert, read)) return undefined;
  const slice = await sliceInside(tx, target, alert.slice);
  return slice && { ...alert, slice, problem };
}

/** An alert as a sender who reads a part may see it, and its groups inside; undefined if they may not see it. */
async function readInside(
  tx: Transaction,
  limits: LimitedVersion,
  alert: StoredAlert,
): Promise<{ shown: StoredAlert; groups: AlertGroup[] } | undefined> {
  const shown = await shownAlert(tx, limits, alert);
  if (!shown) return undefined;
  const { read } = limits.part;
  const { id, slice } = alert;
  const isAllInside = isInside(slice, read);
  const groups = (await listGroups(tx, id))
    .filter((group) => isAllInside || isInside(sliceOfGroup(slice, group.slice), read))
    .map((group) => withSlice(group, shown.slice));
  return { shown, groups };
}

/** @param slice that of the alert, which the stored group lacks */
const withSlice = (group: AlertGroup, slice: Slice): AlertGroup => ({
  ...group,
  slice: sliceOfGroup(slice, group.slice),
});

/**
 * Reads what belongs to an alert. If the sender may not see its version, or it was deleted meanwhile, the
 * answer is the same as for an alert that does not exist.
 *
 * @throws AppError 404
 */
const asOfAlert = <Result>(id: number, work: () => Promise<Result>): Promise<Result> =>
  work().catch((error: unknown) => {
    const isMissing = error instanceof AppError && error.status === 404;
    return isMissing ? found<Result>(undefined, `alert ${id}`) : Promise.reject(error);
  });

/**
 * The groups for which an alert holds, then those for which it has ended lately, newest first.
 *
 * @param offset number of groups that are left out at the beginning
 * @throws AppError 404
 */
export async function alertGroups(
  db: Database,
  id: number,
  offset = 0,
): Promise<AlertGroupsAnswer> {
  const alert = found(await findAlert(db, id), `alert ${id}`);
  const { version_id: versionId } = alert;
  return asOfAlert(id, async () => {
    const limits = await readLimited(db, versionId);
    // One snapshot: an evaluation in between would change the groups, but not their number, or the other way round.
    return db.versionRead(versionId, async (tx) => {
      if (limits) {
        const { groups } = found(await readInside(tx, limits, alert), `alert ${id}`);
        return { groups: groups.slice(offset, offset + GROUPS_OF_PAGE), total: groups.length };
      }
      const groups = await listGroups(tx, id, { offset, limit: GROUPS_OF_PAGE });
      const { holding = 0, ended = 0 } = (await groupCounts(tx, [id])).get(id) ?? {};
      return {
        groups: groups.map((group) => withSlice(group, alert.slice)),
        total: holding + ended,
      };
    });
  });
}

/**
 * The alerts of an owner in all versions that hold or have ended lately, as the sender may see them. Those of a version
 * whose part cannot be read now are left out.
 */
export async function ownAlerts(db: Database, user: string): Promise<OwnAlert[]> {
  const rows = await listOwnAlerts(db, user);
  const whole = rows.flatMap(({ id, read }) => (read ? [] : id));
  const counts = await groupCounts(db, whole);
  const own: OwnAlert[] = [];
  for (const { last, read, ...row } of rows) {
    const place = placeOf(row);
    if (!read) {
      const { holding = 0, ended = 0 } = counts.get(row.id) ?? {};
      own.push({
        ...answered(row, holding),
        ...place,
        ended,
        changed_at: last,
      });
      continue;
    }
    const inside = await insideOf(db, row);
    if (!inside) continue;
    const changed = inside.groups.map(({ began_at, ended_at }) => ended_at ?? began_at).sort();
    const holding = holdingOf(inside.groups);
    const ended = inside.groups.length - holding;
    own.push({
      ...answered(inside.shown, holding),
      ...place,
      ...{ ended, changed_at: changed.at(-1) ?? last },
    });
  }
  return own
    .sort((a, b) => Date.parse(b.changed_at) - Date.parse(a.changed_at) || a.id - b.id)
    .slice(0, GROUPS_OF_PAGE);
}

const placeOf = ({ version_name, source_id, source_label }: OwnAlertPlace): OwnAlertPlace => ({
  version_name,
  source_id,
  source_label,
});
type OwnAlertPlace = Pick<OwnAlert, 'version_name' | 'source_id' | 'source_label'>;

/** An alert and its groups as a sender who reads a part sees them; undefined without groups. */
async function insideOf(
  db: Database,
  alert: StoredAlert,
): Promise<{ shown: StoredAlert; groups: AlertGroup[] } | undefined> {
  try {
    const limits = await readLimited(db, alert.version_id);
    if (!limits) return undefined;
    const inside = await db.versionRead(alert.version_id, (tx) => readInside(tx, limits, alert));
    return inside && inside.groups.length > 0 ? inside : undefined;
  } catch (error) {
    if (!(error instanceof AppError) || ![404, 409].includes(error.status)) throw error;
    return undefined;
  }
}

/**
 * Makes an alert, also on a closed version. The evaluation that follows tells for which groups it holds.
 *
 * @throws AppError 400 for a slice, level or measure that cannot be used; 403 for a slice beyond what the sender may
 * read; 404; 409 as for every slice, and if the version has as many alerts as it may have
 */
export const addAlert = (
  { db, budget }: Resources,
  versionId: number,
  request: AlertRequest,
  key?: WriteKey,
): Promise<Alert> =>
  budget.run(async (memory) => {
    const answer = await db.versionTransaction(versionId, async (tx) => {
      // Exclusive, so that the number of alerts stays below its limit.
      await lockVersion(tx, versionId, 'UPDATE');
      return once(tx, versionId, key, Alert, memory, async () => {
        if ((await countAlerts(tx, versionId)) >= MOST_ALERTS) {
          // Without their number: some may be hidden from the sender.
          throw new AppError(409, 'The version may have no more alerts; delete one');
        }
        const { pf_user, owner, asks_for_reason = false, slice, ...fields } = request;
        const target = await readVersion(tx, versionId);
        const stored = {
          ...{ ...fields, slice: shortSlice(target, slice) },
          ...{ owner: owner ?? pf_user, asks_for_reason },
        };
        requireUsable(target, stored);
        const alert = await insertAlert(tx, versionId, stored, pf_user);
        await tell(tx, versionId, { kind: 'alert', id: alert.id, pending: true });
        return answered(alert, 0);
      });
    });
    memory.release();
    return answer;
  });

/** The slice of an alert as it is stored. @throws AppError 400 for too many values, and as for every slice */
function shortSlice(target: ForecastVersion, slice: AskedSlice): Slice {
  const stored = sliceToStore(target, slice);
  requireShort(stored);
  return stored;
}

/** Checks the fields of an alert against the columns of its version. @throws AppError as {@link addAlert} */
function requireUsable(target: ForecastVersion, fields: AlertFields): void {
  requireReadable(target, fields.slice);
  measureOf(target, fields.measure);
  groupedFields(target, fields.level);
}

/**
 * Changes an alert; a missing field keeps its value. Another measure, number, level or slice is another question: then
 * it begins again for all groups, and threads without a reply are resolved. After another condition, only the groups are
 * told for which that makes a difference.
 *
 * @throws AppError 403 for somebody who may not, 404, and as {@link addAlert}
 */
export const editAlert = (
  db: Database,
  id: number,
  { pf_user: _, ...request }: EditAlertRequest,
  person: Person,
): Promise<Alert> =>
  changing(db, id, person, 'change', async (tx, { alert, target }) => {
    const before = fieldsOf(alert);
    const after: AlertFields = {
      name: request.name ?? before.name,
      measure: request.measure ?? before.measure,
      of: request.of ?? before.of,
      condition: request.condition ?? before.condition,
      level: request.level ?? before.level,
      slice: request.slice ? shortSlice(target, request.slice) : before.slice,
      owner: request.owner ?? before.owner,
      asks_for_reason: request.asks_for_reason ?? before.asks_for_reason,
    };
    if (!isDeepStrictEqual(after, before)) {
      const events: VersionEvent[] = [];
      if (!isDeepStrictEqual(questionIn(after), questionIn(before))) {
        // Only then: an alert whose column was lost can still get another name.
        requireUsable(target, after);
        events.push(...commentEvents(await resolveUnanswered(tx, alert, null)));
        await forgetGroups(tx, id, 'all');
      }
      await updateAlert(tx, id, after);
      const isPending = !isDeepStrictEqual(evaluatedIn(after), evaluatedIn(before));
      events.push({ kind: 'alert', id, ...(isPending && { pending: true as const }) });
      await tellEach(tx, alert.version_id, events);
    }
    // The sender sees all groups: the slice lies inside of what they read.
    const counts = (await groupCounts(tx, [id])).get(id);
    return answered({ ...alert, ...after }, counts?.holding ?? 0);
  });

/** What makes an alert another question. */
const questionIn = ({ measure, of, level, slice }: AlertFields) => ({ measure, of, level, slice });

/** What an evaluation depends on. */
const evaluatedIn = (fields: AlertFields) => {
  const { condition, asks_for_reason } = fields;
  return { ...questionIn(fields), condition, asks_for_reason };
};

const fieldsOf = (alert: StoredAlert): AlertFields => {
  const { name, measure, of, condition, level, slice, owner, asks_for_reason } = alert;
  return { name, measure, of, condition, level, slice, owner, asks_for_reason };
};

/** Deletes an alert. Its threads stay. @throws AppError 403 for somebody who may not, 404 */
export const removeAlert = (db: Database, id: number, person: Person): Promise<void> =>
  changing(db, id, person, 'delete', async (tx, { alert }) => {
    await deleteAlert(tx, id);
    await tell(tx, alert.version_id, { kind: 'alert', id });
  });

/**
 * Gives `work` an alert that nobody else changes or evaluates meanwhile.
 *
 * @throws AppError 404, also for one that the sender may not see; 403 for somebody who may not change it, and for one
 * that reaches beyond what they may read
 */
async function changing<Result>(
  db: Database,
  id: number,
  person: Person,
  what: string,
  work: (
    tx: Transaction,
    found: { alert: StoredAlert; target: ForecastVersion },
  ) => Promise<Result>,
): Promise<Result> {
  const { version_id: versionId } = found(await findAlert(db, id), `alert ${id}`);
  return db.transaction(async (tx) => {
    const { stored, target } = await asOfAlert(id, async () => {
      await lockVersion(tx, versionId, 'SHARE');
      const target = await readVersion(tx, versionId);
      const stored = found(await findAlert(tx, id, 'lock'), `alert ${id}`);
      const limits = limited(target);
      const shown = limits ? await shownAlert(tx, limits, stored) : stored;
      const { problem } = found(shown, `alert ${id}`);
      return { stored: { ...stored, problem }, target };
    });
    if (!mayChangeAlert(stored, person)) {
      const people = [...new Set([stored.created_by, stored.owner, 'an admin'])];
      throw new AppError(403, `Only ${either(people)} may ${what} alert ${id}`);
    }
    requireReadable(target, stored.slice);
    return work(tx, { alert: stored, target });
  });
}
