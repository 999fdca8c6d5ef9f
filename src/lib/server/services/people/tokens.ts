/** Tokens: their list, and how they are made and revoked. */
import { randomBytes } from 'node:crypto';
import { ROLES } from '../../../contract/me';
import {
  type CreatedToken,
  type CreateTokenRequest,
  MOST_TOKENS,
  type Token,
} from '../../../contract/tokens';
import type { Config } from '../../config';
import { found } from '../../db/connection/queryable';
import { missingSources } from '../../db/setup/sources';
import type { Database } from '../../db/database';
import { recordChange } from '../../db/log/audit';
import { deleteToken, insertToken, listTokens } from '../../db/people/tokens';
import { AppError, faultAt, fieldPlace } from '../../errors';
import { hashOf, TOKEN_BYTES, TOKEN_PREFIX } from '../../tokens';

interface Asked {
  db: Database;
  config: Pick<Config, 'signIn'>;
}

/** All tokens, oldest first. @throws AppError 404 without sign-in */
export async function tokens(asked: Asked): Promise<Token[]> {
  adminOf(asked);
  return listTokens(asked.db);
}

/**
 * Makes a token. The answer has its secret; only the hash is stored.
 *
 * @throws AppError 400 for an expiry in the past and for a source that there is not, 404 without sign-in, 422 if there are too many
 */
export function createToken(
  asked: Asked,
  { name, roles: named, groups, sources, expires_at }: CreateTokenRequest,
): Promise<CreatedToken> {
  const created_by = adminOf(asked);
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) {
    throw faultAt(fieldPlace('expires_at'), 400, 'must be in the future');
  }
  const highest = Math.max(...named.map((role) => ROLES.indexOf(role)));
  const roles = ROLES.slice(0, highest + 1);
  const secret = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const fields = {
    name,
    roles,
    groups: [...new Set(groups)],
    sources: sources && [...new Set(sources)],
    expires_at,
    created_by,
  };
  return asked.db.transaction(async (tx) => {
    const [missing] = await missingSources(tx, sources ?? []);
    if (missing !== undefined) {
      throw faultAt(
        fieldPlace('sources'),
        400,
        `has ${missing}, and there is no source ${missing}`,
      );
    }
    const token = await insertToken(tx, { ...fields, hash: hashOf(secret) }, MOST_TOKENS);
    if (!token) throw new AppError(422, `There are ${MOST_TOKENS} tokens already; revoke some`);
    const action = 'token created';
    await recordChange(tx, { action, token_id: token.id, before: null, after: grantedBy(token) });
    return { ...token, secret };
  });
}

/** Revokes a token, so that later requests with it are refused. @throws AppError 404, also without sign-in */
export function revokeToken(asked: Asked, id: number): Promise<void> {
  adminOf(asked);
  return asked.db.transaction(async (tx) => {
    const before = grantedBy(found(await deleteToken(tx, id), `token ${id}`));
    await recordChange(tx, { action: 'token revoked', token_id: id, before, after: null });
  });
}

/** What the audit records of a token. */
const grantedBy = ({ name, roles, groups, sources, expires_at }: Token) => ({
  name,
  roles,
  groups,
  sources,
  expires_at,
});

/** The signed-in admin. @throws AppError 404 without sign-in */
function adminOf({ db: { sender }, config: { signIn } }: Asked): string {
  if (signIn !== null && sender.user !== null) return sender.user;
  throw new AppError(
    404,
    'Tokens exist only where a proxy signs people in: set PF_USER_HEADER (docs/operating.md)',
  );
}
