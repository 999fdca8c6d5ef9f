/** Evaluates an alert, and tells for which groups it has begun and ended to hold (docs/contract/25-alerts.md). */
import { type AlertCondition, MOST_ASKED, MOST_HELD } from '../../../contract/alerts';
import { mentionKey } from '../../../contract/comments';
import type { Database } from '../../db/database';
import { forPeople, SQLSTATE, sqlState } from '../../db/connection/failures';
import { tell } from '../../db/connection/notify';
import type { Transaction } from '../../db/connection/transaction';
import type { NewGroup, StoredAlert } from '../../db/people/alerts';
import {
  beginGroups,
  endGroups,
  findAlert,
  forgetGroups,
  heldGroups,
  holdingGroups,
  limitTime,
  noteEvaluation,
  oneAtATime,
  setThread,
  updateAmounts,
} from '../../db/people/alerts';
import { insertComment, setResolved } from '../../db/people/comments';
import { lockVersion } from '../../db/versions/versions';
import { AppError } from '../../errors';
import { alertGroups } from '../../sql/alerts';
import type { ForecastVersion } from '../version/forecast-version';
import { readVersion, sliceOf } from '../version/forecast-version';
import { digestOf, groupedFields, measureOf, sliceOfGroup } from './alert-level';

/** The longest time that one evaluation of an alert may read rows, in milliseconds. */
const TIME_BUDGET = 10_000;

/**
 * Evaluates an alert on the rows that are committed now, and tells what has changed since the last evaluation. Several
 * servers may do so at a time: one waits for the other and then finds nothing to tell.
 *
 * The rows are read without a lock of the version. Only to store what has changed, it waits for a writer.
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
  const target = await readVersion(tx, alert.version_id);
  return tx.attempt(
    async () => {
      await limitTime(tx, TIME_BUDGET);
      return groupsOf(tx, target, alert);
    },
    async (error) => {
      if (sqlState(error) === SQLSTATE.queryCanceled) {
        return new AppError(409, `It takes longer than ${TIME_BUDGET / 1000} seconds`);
      }
      const refusal = forPeople(error);
      return refusal instanceof AppError ? refusal : undefined;
    },
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
    slice: sliceOfGroup(slice, fields, group),
    amount,
  }));
}

async function noteProblem(tx: Transaction, alert: StoredAlert, problem: string): Promise<void> {
  if (alert.problem === problem) return;
  await noteEvaluation(tx, alert.id, problem);
  await tell(tx, alert.version_id, { kind: 'alert', id: alert.id });
}

/** Stores the groups for which an alert holds now, and tells the differences. */
async function tellChanges(
  tx: Transaction,
  alert: StoredAlert,
  groups: readonly NewGroup[],
): Promise<void> {
  const { id, version_id: versionId, silent } = alert;
  await forgetGroups(tx, id, 'old');
  const known = await holdingGroups(tx, id);
  const before = new Set(known.map(({ digest }) => digest));
  const now = new Set(groups.map(({ digest }) => digest));
  const begun = groups.filter(({ digest }) => !before.has(digest));
  const ended = known.flatMap(({ digest }) => (now.has(digest) ? [] : [digest]));
  const stay = groups.filter(({ digest }) => before.has(digest));

  if (begun.length > 0) await beginGroups(tx, alert, begun);
  if (stay.length > 0) await updateAmounts(tx, id, stay);
  const unanswered = ended.length > 0 ? await endGroups(tx, id, ended) : [];
  for (const thread of unanswered) {
    await setResolved(tx, thread, alert.created_by);
    await tell(tx, versionId, { kind: 'comment', id: thread });
  }
  if (alert.asks_for_reason && !silent) {
    const asked = known.filter(({ digest }) => now.has(digest));
    const open = asked.filter(({ isOpen }) => isOpen).length;
    const all = new Set(asked.filter(({ isAsked }) => isAsked).map(({ digest }) => digest));
    const wanted = groups.filter(({ digest }) => !all.has(digest));
    await askForReasons(tx, alert, wanted.slice(0, Math.max(0, MOST_ASKED - open)));
  }
  await noteEvaluation(tx, id, null);
  const isNews = begun.length > 0 || ended.length > 0;
  if ((isNews && !silent) || alert.problem !== null) {
    await tell(tx, versionId, {
      ...{ kind: 'alert', id },
      ...(begun.length > 0 && !silent && { began: begun.length }),
      ...(ended.length > 0 && !silent && { ended: ended.length }),
    });
  }
}

/** Begins a thread on each of some groups, which mentions the owner. */
async function askForReasons(
  tx: Transaction,
  alert: StoredAlert,
  groups: readonly NewGroup[],
): Promise<void> {
  for (const { digest, slice, amount } of groups) {
    const comment = await insertComment(tx, {
      ...{ version_id: alert.version_id, slice, parent: null },
      text: questionOf(alert, amount),
      mentions: [mentionKey(alert.owner)],
      created_by: alert.created_by,
    });
    await setThread(tx, alert.id, digest, comment.id);
    await tell(tx, alert.version_id, { kind: 'comment', id: comment.id });
  }
}

/** The text that asks for a reason, such as: @bea Alert “Margin”: −7.3 % is below −5 %. What is the reason? */
function questionOf(
  { name, owner, of, condition }: Pick<StoredAlert, 'name' | 'owner' | 'of' | 'condition'>,
  amount: string,
): string {
  const isPercent = of === 'difference_pct';
  const write = (number: number): string =>
    `${number.toLocaleString('en-GB', { maximumFractionDigits: isPercent ? 2 : 6 }).replace('-', '−')}${isPercent ? ' %' : ''}`;
  const what = of === 'amount' ? '' : 'a difference of ';
  const mention = /^[\p{L}\p{N}_]+$/u.test(owner) ? `@${owner}` : `@"${owner}"`;
  return `${mention} Alert “${name}”: ${what}${write(Number(amount))} is ${conditionText(condition, write)}. What is the reason?`;
}

function conditionText(condition: AlertCondition, write: (number: number) => string): string {
  return condition.operator === 'outside'
    ? `outside of ${write(condition.from)} to ${write(condition.to)}`
    : `${condition.operator} ${write(condition.amount)}`;
}
