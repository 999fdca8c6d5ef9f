/** Closes months on actuals, as the dialog asks for it. */
import { messageOf } from '../../client/message-of';
import { user } from '../../client/user.svelte';
import type { LoadPreviewRequest } from '../../contract/loads';
import type { Closing } from '../forms/closing.svelte';
import type { Reports } from './reports';
import type { PlanSession } from '../session.svelte';
import type { Tell } from '../tell';

interface Parts {
  session: PlanSession;
  closing: Closing;
  reports: Reports;
  tell: Tell;
}

/**
 * Closes the months of the dialog, and then the dialog. Spreads the difference if that was chosen; a refused spread is
 * reported, and the months stay closed. Does nothing without a name.
 *
 * @param rows the rows of the source
 * @param undo undoes an entry
 * @throws the refusal
 */
export async function closeMonths(
  { session, closing, reports, tell }: Parts,
  rows: LoadPreviewRequest,
  undo: (logid: number) => void,
): Promise<void> {
  const { changes, locks } = session;
  const request = closing.requestOf(rows);
  const pf_user = request && (await user.require());
  if (!request || pf_user === null) return;
  const isRestatement = closing.restated.length > 0;
  const closed = await changes.closeMonths({ ...request, pf_user });
  const scale = closing.remainder.scaleAfter(closed);
  const body = scale && { ...scale, pf_user };
  const said = tell.closedText(closed, isRestatement);
  if (!body) tell.done(said, () => undo(closed.logid));
  else {
    await reports.attempt(async () => {
      const writing = changes.apply({ kind: 'scale', body });
      const written = await writing.catch((error: unknown) => {
        const why = `The difference was not spread. ${messageOf(error)}`;
        throw new Error(`${said} ${why}`, { cause: error });
      });
      await reports.sayWritten('scale', written, undo, said);
    });
  }
  await locks.read();
  // Only a new table can show the forecast beside the plan.
  if (closed.row_count > 0 && session.pivot?.origins.hasActuals === false) await session.reload();
  closing.isOpen = false;
}
