/** People and groups that may get a territory. */
import { contains } from '../../../contract/folding';
import { MOST_MEMBERS, type SeenMember } from '../../../contract/territories';
import type { Config } from '../../config';
import type { Database } from '../../db/database';
import { listMembers } from '../../db/people/members';

/**
 * The people and groups that the service has seen and whose names contain a text, by name. A name that is known as that
 * of a person and of a group is a person. The service has no list of its users: other members may exist.
 */
export async function seenMembers(
  { db, config: { signIn } }: { db: Database; config: Pick<Config, 'signIn'> },
  search: string,
): Promise<SeenMember[]> {
  const { people, groups, members } = await listMembers(db);
  const { sender } = db;
  const configured = [signIn?.planners, signIn?.admins].filter((name) => typeof name === 'string');
  const seen = new Map<string, SeenMember['kind']>(members.map((name) => [name, null]));
  for (const name of [...groups, ...sender.groups, ...configured]) seen.set(name, 'group');
  for (const name of people) seen.set(name, 'person');
  if (sender.user !== null) seen.set(sender.user, 'person');
  return [...seen]
    .map(([name, kind]) => ({ name, kind }))
    .filter(({ name }) => contains(name, search))
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .slice(0, MOST_MEMBERS);
}
