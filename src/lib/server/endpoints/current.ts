/** Handlers of current names. */
import type { CURRENT_ENDPOINTS } from '../../contract/endpoints/current';
import { currentNames, setCurrent, versionNamed } from '../services/setup/current';
import type { Handlers } from './asked';

export const currentHandlers: Handlers<typeof CURRENT_ENDPOINTS> = {
  'GET /sources/{id}/current': ({ db, id }) => currentNames(db, id),
  'PUT /sources/{id}/current': ({ db, id, body }) => setCurrent(db, id, body),
  'GET /current/{name}': ({ db, name, query: { source } }) => versionNamed(db, source, name),
};
