/** The people whose names the version on the page has. */
import type { Comment } from '../../contract/comments';
import type { Lock } from '../../contract/locks';
import type { LogEntry } from '../../contract/log';
import type { Review } from '../../contract/reviews';
import type { Version } from '../../contract/versions';

/** What the page has read of a version. */
interface Records {
  version: Pick<Version, 'created_by' | 'closed_by'>;
  entries: readonly Pick<LogEntry, 'pf_user'>[];
  comments: readonly Pick<Comment, 'created_by' | 'resolved_by'>[];
  reviews: readonly Pick<Review, 'owner' | 'reviewers' | 'steps'>[];
  locks: readonly Pick<Lock, 'created_by'>[];
}

/**
 * Returns the people who have written, commented, reviewed or locked in a version, each once, by name. The service has
 * no list of its users.
 */
export function peopleIn({ version, entries, comments, reviews, locks }: Records): string[] {
  const names = [
    ...[version.created_by, version.closed_by],
    ...entries.map(({ pf_user }) => pf_user),
    ...comments.flatMap(({ created_by, resolved_by }) => [created_by, resolved_by]),
    ...reviews.flatMap(({ owner, reviewers, steps }) => [
      ...[owner, ...reviewers],
      ...steps.map(({ pf_user }) => pf_user),
    ]),
    ...locks.map(({ created_by }) => created_by),
  ];
  const present = names.filter((name) => name !== null && name !== undefined);
  return [...new Set(present)].toSorted((a, b) => a.localeCompare(b));
}

/** A mention that is being typed at the end of a text: where its `@` stands, and the begun name. */
interface BegunMention {
  at: number;
  name: string;
}

/** An `@` that is not inside a word, with the begin of a name, which may be in quotes. */
const BEGUN = /(?<![\p{L}\p{M}\p{N}_])@(?:"([^"\n]*)|([\p{L}\p{M}\p{N}_.+@-]*))$/u;

/** Returns the mention that a text ends with while it is typed; null if there is none. */
export function begunMention(text: string): BegunMention | null {
  const found = BEGUN.exec(text);
  return found && { at: found.index, name: found[1] ?? found[2] ?? '' };
}
