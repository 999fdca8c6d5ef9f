/** Tokens: how programs sign in where a proxy signs people in. */
import * as v from 'valibot';
import { ROLES } from './me';
import { atMost, shortName, text, timestamp } from './primitives';

/** The largest number of tokens, and of groups and of sources of one token. */
export const MOST_TOKENS = 1000;
const MOST_GROUPS = 100;
const MOST_SOURCES = 100;

/** A token (docs/contract/20-who-is-signed-in.md#tokens), without its secret. */
export const Token = v.object({
  id: v.number(),
  name: v.pipe(v.string(), v.description('The acting user of its requests')),
  roles: v.array(v.picklist(ROLES)),
  groups: v.pipe(v.array(v.string()), v.description('Whose territories it has, beside its own')),
  sources: v.pipe(
    v.nullable(v.array(v.number())),
    v.description('The ids of the sources that it reaches; null for all'),
  ),
  expires_at: v.pipe(v.nullable(timestamp), v.description('null if it does not expire')),
  created_by: v.string(),
  created_at: timestamp,
  last_used_at: v.pipe(
    v.nullable(timestamp),
    v.description('When it was last used, up to five minutes early; null if never'),
  ),
});
export type Token = v.InferOutput<typeof Token>;
/** Answer of GET tokens, oldest first. */
export const TokensAnswer = v.array(Token);

/** Answer of POST tokens. */
export const CreatedToken = v.object({
  ...Token.entries,
  secret: v.pipe(v.string(), v.description('pf_ and 43 characters; no later answer has it')),
});
export type CreatedToken = v.InferOutput<typeof CreatedToken>;

/** An instant from a client, as ISO 8601 text with seconds and zone. */
const instant = v.pipe(
  text,
  v.isoTimestamp('must be an instant such as 2027-01-31T18:00:00Z'),
  v.check((at) => !Number.isNaN(Date.parse(at)), 'must be an instant of the calendar'),
);

const sourceId = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2147483647));

/** Body of POST tokens. */
export const CreateTokenRequest = v.object({
  name: shortName,
  roles: v.pipe(
    v.array(v.picklist(ROLES)),
    v.minLength(1, 'must not be empty'),
    atMost(ROLES.length),
    v.description('Each role includes the previous ones'),
  ),
  groups: v.optional(v.pipe(v.array(shortName), atMost(MOST_GROUPS)), []),
  sources: v.optional(
    v.pipe(
      v.nullable(
        v.pipe(v.array(sourceId), v.minLength(1, 'must not be empty'), atMost(MOST_SOURCES)),
      ),
      v.description('The ids of the sources that it reaches; null for all'),
    ),
    null,
  ),
  expires_at: v.optional(v.nullable(instant), null),
});
export type CreateTokenRequest = v.InferOutput<typeof CreateTokenRequest>;
