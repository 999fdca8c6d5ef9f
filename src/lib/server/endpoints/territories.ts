/** Handlers of territories. */
import type { TERRITORY_ENDPOINTS } from '../../contract/endpoints/territories';
import { seenMembers } from '../services/people/members';
import {
  createTerritory,
  editTerritory,
  removeTerritory,
  territories,
} from '../services/people/territories';
import type { Handlers } from './asked';

export const territoryHandlers: Handlers<typeof TERRITORY_ENDPOINTS> = {
  'GET /sources/{id}/territories': ({ db, id }) => territories(db, id),
  'POST /sources/{id}/territories': ({ locals, id, body }) => createTerritory(locals, id, body),
  'PATCH /territories/{id}': ({ db, id, body }) => editTerritory(db, id, body),
  'DELETE /territories/{id}': ({ db, id }) => removeTerritory(db, id),
  'GET /members': ({ locals, query: { search = '' } }) => seenMembers(locals, search),
};
