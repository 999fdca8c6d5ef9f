/** What a user does with locks, each action with its report or error. */
import { user } from '../../client/user.svelte';
import type { Lock } from '../../contract/locks';
import type { Slice } from '../../contract/slices';
import type { PlanSession } from '../session.svelte';
import type { Tell } from '../tell';
import type { Reports } from './reports';

/** The actions on locks. None throws but {@link LockActions.add}. */
export class LockActions {
  constructor(
    private readonly session: Pick<PlanSession, 'locks'>,
    private readonly reports: Reports,
    private readonly tell: Tell,
  ) {}

  /** Locks the rows of a slice. @returns false if no name was given @throws the refusal */
  async add(slice: Slice, note: string): Promise<boolean> {
    const name = await user.require();
    if (name === null) return false;
    await this.session.locks.add(slice, note, name);
    this.tell.done('Locked: nobody can change these rows.');
    return true;
  }

  /** Removes a lock. */
  async remove(lock: Lock): Promise<void> {
    await this.reports.attempt(async () => {
      await this.session.locks.remove(lock);
      this.tell.done('Unlocked: these rows can be changed again.');
    });
  }
}
