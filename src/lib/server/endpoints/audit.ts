/** The handler of the audit. */
import { AUDITED_BY_DEFAULT } from '../../contract/audit';
import type { AUDIT_ENDPOINTS } from '../../contract/endpoints/audit';
import { audit } from '../services/people/audit';
import type { Handlers } from './asked';

export const auditHandlers: Handlers<typeof AUDIT_ENDPOINTS> = {
  'GET /audit': ({
    locals,
    query: { limit = AUDITED_BY_DEFAULT, before, after, pf_user, source },
  }) => audit(locals, { limit, before, after, pf_user, source }),
};
