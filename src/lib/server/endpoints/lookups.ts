/** Handlers of lookups. */
import type { LOOKUP_ENDPOINTS } from '../../contract/endpoints/lookups';
import { lookupResponse } from '../http/answers';
import { askedRows } from '../http/asked';
import { readLookupRows } from '../services/reading/lookup-rows';
import { createLookup, deleteLookup, editLookup, listLookups } from '../services/setup/lookups';
import type { Handlers } from './asked';

export const lookupHandlers: Handlers<typeof LOOKUP_ENDPOINTS> = {
  'GET /sources/{id}/lookups': ({ db, id }) => listLookups(db, id),
  'POST /sources/{id}/lookups': ({ db, id, body }) => createLookup(db, id, body),
  'PATCH /lookups/{id}': ({ db, id, body }) => editLookup(db, id, body),
  'DELETE /lookups/{id}': ({ db, id }) => deleteLookup(db, id),
  'GET /lookups/{id}/rows': async ({ event, locals, request, id, query }) =>
    lookupResponse(
      await readLookupRows(locals, id, query.version, request.signal),
      askedRows(event).isKnown,
    ),
};
