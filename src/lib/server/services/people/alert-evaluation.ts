/** Evaluates an alert, and reports the groups for which it begins and ends to hold (docs/contract/25-alerts.md). */
import { MOST_ASKED, MOST_HELD } from '../../../contract/alerts';
import { mentionKey } from '../../../contract/comments';
import type { VersionEvent } from '../../../contract/events';
import type { Database } from '../../db/database';
import { forPeople, SQLSTATE, sqlState } from '../../db/connection/failures';
import { tell, tellEach } from '../../db/connection/notify';
import type { Transaction } from '../../db/connection/transaction';
import type { NewGroup, StoredAlert } from '../../db/people/alerts';
import {
  beginGroups,
  endGroups,
  findAlert,
  forgetGroups,
  heldGroups,
  holdingGroups,
  insertThreads,
  limitTime,
  noteEvaluation,
  oneAtATime,
  resolveUnanswered,
  restoreTime,
  updateAmounts,
} from '../../db/people/alerts';
import { lockVersion } from '../../db/versions/versions';
import { AppError } from '../../errors';
import { alertGroups } from '../../sql/alerts';
import type { ForecastVersion } from '../version/forecast-version';
import { readVersion, sliceOf } from '../version/forecast-version';
import { digestOf, groupedFields, measureOf, membersOf, sliceOfGroup } from './alert-level';
import { questionOf } from './alert-question';

/** The longest time that one evaluation of an alert may read rows, in milliseconds. */
const TIME_BUDGET = 10_000;

/**
 * Evaluates an alert on the committed rows, and reports the groups for which it has begun or ended to hold since the
 * last evaluation. If two servers evaluate it at a time, the second one waits and finds no change.
 *
 * The rows are read without a lock of the version. The version is locked only while the changes are stored.
 *
 * @throws AppError 404 if the version was deleted meanwhile; errors of the database
 */
export const evaluateAlert = (db: Database, id: number): Promise<void> =>
  db.transaction(async (tx) => {
    await oneAtATime(tx, id);
    const alert = await findAlert(tx, id);
    if (!alert) return;
    const groups = await readGroups(tx, alert);
    // In the order of all writers: first the version, then what belongs to it.
    await lockVersion(tx, alert.version_id, 'SHARE');
    const now = await findAlert(tx, id, 'lock');
    // Whoever has changed the definition meanwhile has asked for another evaluation.
    if (!now || definitionOf(now) !== definitionOf(alert)) return;
    if (groups instanceof AppError) await noteProblem(tx, now, groups.message);
    else await tellChanges(tx, now, groups);
  });

const definitionOf = ({ measure, of, condition, level, slice }: StoredAlert): string =>
  JSON.stringify([measure, of, condition, level, slice]);

/** The groups for which an alert holds; the reason if it cannot be evaluated. */
async function readGroups(tx: Transaction, alert: StoredAlert): Promise<NewGroup[] | AppError> {
  const time = await limitTime(tx, TIME_BUDGET);
  const groups = await tx.attempt(
    async () => groupsOf(tx, await readVersion(tx, alert.version_id), alert),
    (error) => Promise.resolve(problemOf(error, time.limit)),
  );
  await restoreTime(tx, time);
  return groups;
}

/**
 * Why an alert cannot be evaluated; undefined if a later attempt may succeed without another change.
 *
 * @param limit how long the read was allowed to take, in milliseconds
 */
function problemOf(error: unknown, limit: number): AppError | undefined {
  const state = sqlState(error);
  if (state === SQLSTATE.queryCanceled) {
    return new AppError(409, `It takes longer than ${limit / 1000} seconds`);
  }
  if (state === SQLSTATE.deadlockDetected) return undefined;
  const known = forPeople(error);
  if (known instanceof AppError && known.status < 500) return known;
  const isTemporary = known instanceof AppError && known.status === 503;
  if (state === undefined || isTemporary) return undefined;
  return new AppError(
    409,
    'The database reports an error while it reads the rows, which may come from a view or a function',
  );
}

async function groupsOf(
  tx: Transaction,
  target: ForecastVersion,
  { measure, of, condition, level, slice }: StoredAlert,
): Promise<NewGroup[]> {
  const fields = groupedFields(target, level);
  const { where, skipped } = sliceOf(target, slice);
  if (skipped.length > 0) {
    throw new AppError(409, `"${skipped.join('", "')}" is not a dimension or date any more`);
  }
  const held = await heldGroups(
    tx,
    alertGroups(
      target.rows,
      {
        ...{ measure: measureOf(target, measure), of, condition, level: fields, where },
        excluded: target.version.exclude_iters,
      },
      MOST_HELD,
    ),
  );
  if (held.length > MOST_HELD) {
    throw new AppError(
      409,
      `It holds for more than ${MOST_HELD.toLocaleString('en-GB')} groups; choose a narrower condition or fewer fields`,
    );
  }
  return held.map(({ group, amount }) => ({
    digest: digestOf(group),
    slice: membersOf(fields, group),
    amount,
  }));
}

async function noteProblem(tx: Transaction, alert: StoredAlert, problem: string): Promise<void> {
  if (alert.problem === problem) return;
  await noteEvaluation(tx, alert.id, problem);
  await tell(tx, alert.version_id, { kind: 'alert', id: alert.id });
}

/**
 * Stores the groups for which an alert holds now, and reports the differences. Writers of the version wait for it, so
 * the number of statements does not depend on the number of groups.
 */
async function tellChanges(
  tx: Transaction,
  alert: StoredAlert,
  groups: readonly NewGroup[],
): Promise<void> {
  const { id, version_id: versionId } = alert;
  await forgetGroups(tx, id, 'old');
  const known = await holdingGroups(tx, id);
  const before = new Set(known.map(({ digest }) => digest));
  const now = new Set(groups.map(({ digest }) => digest));
  const begun = groups.filter(({ digest }) => !before.has(digest));
  const ended = known.flatMap(({ digest }) => (now.has(digest) ? [] : [digest]));
  const stay = groups.filter(({ digest }) => before.has(digest));

  const threads = ended.length > 0 ? await resolveUnanswered(tx, alert, ended) : [];
  if (ended.length > 0) await endGroups(tx, id, ended);
  if (begun.length > 0) await beginGroups(tx, id, begun);
  if (stay.length > 0) await updateAmounts(tx, id, stay);
  if (alert.asks_for_reason) {
    const asked = known.filter(({ digest }) => now.has(digest));
    const open = asked.filter(({ isOpen }) => isOpen).length;
    const all = new Set(asked.filter(({ isAsked }) => isAsked).map(({ digest }) => digest));
    const wanted = groups.filter(({ digest }) => !all.has(digest));
    threads.push(...(await ask(tx, alert, wanted.slice(0, Math.max(0, MOST_ASKED - open)))));
  }
  if (alert.problem !== null) await noteEvaluation(tx, id, null);
  const isNews = begun.length > 0 || ended.length > 0 || alert.problem !== null;
  const news: VersionEvent = {
    ...{ kind: 'alert', id },
    ...(begun.length > 0 && { began: begun.length }),
    ...(ended.length > 0 && { ended: ended.length }),
  };
  const events = [...commentEvents(threads), ...(isNews ? [news] : [])];
  if (events.length > 0) await tellEach(tx, versionId, events);
}

/** Begins a thread on each of some groups, which mentions the owner. @returns the ids of the threads */
const ask = async (
  tx: Transaction,
  alert: StoredAlert,
  groups: readonly NewGroup[],
): Promise<number[]> =>
  groups.length === 0
    ? []
    : insertThreads(
        tx,
        alert,
        [mentionKey(alert.owner)],
        groups.map(({ digest, slice, amount }) => ({
          ...{ digest, slice: sliceOfGroup(alert.slice, slice) },
          text: questionOf(alert, amount),
        })),
      );

/** The events of some threads. */
export const commentEvents = (threads: readonly number[]): VersionEvent[] =>
  threads.map((id) => ({ kind: 'comment', id }));
