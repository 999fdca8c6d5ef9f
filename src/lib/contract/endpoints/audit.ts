/** The endpoint of the audit. */
import { AuditAnswer, AUDITED_BY_DEFAULT, MOST_AUDITED } from '../audit';
import { text } from '../primitives';
import { type Endpoints, json, PATH_PARAMETERS, wholeNumber } from './endpoint';

const entry = wholeNumber(1, Number.MAX_SAFE_INTEGER);

export const AUDIT_ENDPOINTS = {
  'GET /audit': {
    role: 'admin',
    territories: 'narrowed',
    summary: 'Who changed sources, versions and territories, and which requests were refused',
    query: {
      limit: {
        schema: wholeNumber(1, MOST_AUDITED),
        description: `The largest number of entries, ${AUDITED_BY_DEFAULT} by default`,
      },
      before: { schema: entry, description: 'Only entries with a smaller id, newest first' },
      after: { schema: entry, description: 'Only entries with a larger id, oldest first' },
      pf_user: { schema: text, description: 'Only entries of this person' },
      source: { schema: PATH_PARAMETERS.id, description: 'Only entries of this source' },
    },
    answer: json(AuditAnswer),
  },
} satisfies Endpoints;
