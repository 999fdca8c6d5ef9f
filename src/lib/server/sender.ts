/** The sender of a request, as the queries of the service know them. */
import type { Me } from '../contract/me';
import { ROLES } from '../contract/me';

/** The sender of a request, with their groups. `/me` answers no groups. */
export interface Sender extends Me {
  groups: readonly string[];
  /**
   * The person, or the address if nobody is signed in, whose limits of connections and streams this request counts
   * towards; null if it counts towards none.
   */
  holder: string | null;
  /** The id of the token that signs the sender in; null for a person, and for the service itself. */
  token: number | null;
  /** The ids of the sources that the token reaches; null for all, and without a token. */
  sources: readonly number[] | null;
}

/** The sender of every request if the service signs nobody in, and of the service's own work. */
export const NOBODY: Sender = {
  user: null,
  roles: [...ROLES],
  groups: [],
  holder: null,
  token: null,
  sources: null,
};

/**
 * The names under which a sender can have territories: their own and those of their groups. Undefined if
 * territories do not limit them: admins, and everybody if nobody is signed in
 * (docs/contract/20-who-is-signed-in.md#territories).
 */
export const membersOf = ({ user, roles, groups }: Sender): string[] | undefined =>
  user === null || roles.includes('admin') ? undefined : [user, ...groups];

/** Whether a sender's token reaches a source; true without a token (docs/contract/20-who-is-signed-in.md#sources-of-a-token). */
export const reaches = ({ sources }: Sender, sourceId: number): boolean =>
  sources === null || sources.includes(sourceId);
