/** Handlers of tokens. */
import type { TOKEN_ENDPOINTS } from '../../contract/endpoints/tokens';
import { createToken, revokeToken, tokens } from '../services/people/tokens';
import type { Handlers } from './asked';

export const tokenHandlers: Handlers<typeof TOKEN_ENDPOINTS> = {
  'GET /tokens': ({ locals }) => tokens(locals),
  'POST /tokens': ({ locals, body }) => createToken(locals, body),
  'DELETE /tokens/{id}': ({ locals, id }) => revokeToken(locals, id),
};
