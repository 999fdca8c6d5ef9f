/** Published plans: versions as views of the database, for other programs. */
import * as v from 'valibot';
import { pfUser, shortName, timestamp } from './primitives';

/** The schema of the views. */
export const PLANS_SCHEMA = 'pf_plans';

/** What the name of the view of changes ends with. */
export const CHANGES_SUFFIX = ' changes';

/** The longest name that PostgreSQL keeps, in bytes. */
const NAME_BYTES = 63;
const LONGEST = NAME_BYTES - CHANGES_SUFFIX.length;

/** Whether a published plan can have a name of this length. It counts bytes of UTF-8, as PostgreSQL does. */
export const fitsView = (name: string): boolean => new TextEncoder().encode(name).length <= LONGEST;

/** A published version (docs/contract/23-names-and-published-plans.md#published-plans). */
export const Published = v.object({
  id: v.number(),
  version_id: v.number(),
  name: v.pipe(v.string(), v.description('The name of the view in the schema pf_plans')),
  current: v.pipe(
    v.nullable(v.string()),
    v.description('The current name that the view follows; null if it stays on the version'),
  ),
  created_by: v.nullable(v.string()),
  created_at: timestamp,
  views: v.pipe(
    v.object({ plan: v.string(), changes: v.string() }),
    v.description('The names of both views as SQL'),
  ),
});
export type Published = v.InferOutput<typeof Published>;

/** Answer of GET published: the published versions of a source. */
export const PublishedAnswer = v.array(Published);

/** Body of PUT published. */
export const PublishRequest = v.object({
  name: v.pipe(
    shortName,
    v.check(
      fitsView,
      `must be at most ${LONGEST} bytes: names in PostgreSQL have ${NAME_BYTES}, and that of the changes is longer`,
    ),
  ),
  current: v.optional(
    v.pipe(
      v.nullable(shortName),
      v.description('A current name of the version; the view then follows it'),
    ),
  ),
  pf_user: v.optional(pfUser),
});
export type PublishRequest = v.InferOutput<typeof PublishRequest>;
