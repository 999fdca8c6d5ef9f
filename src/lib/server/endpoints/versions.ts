/** Handlers of versions, their copies and replays. */
import type { VERSION_ENDPOINTS } from '../../contract/endpoints/versions';
import { replayedEntries, replayVersion } from '../services/replay/replay';
import { copyVersion } from '../services/setup/copy';
import { editVersion, removeVersion, switchVersion, version } from '../services/setup/versions';
import type { Handlers } from './asked';

export const versionHandlers: Handlers<typeof VERSION_ENDPOINTS> = {
  'GET /versions/{id}': ({ db, id }) => version(db, id),
  'PATCH /versions/{id}': ({ db, id, body }) => editVersion(db, id, body),
  'DELETE /versions/{id}': ({ db, id }) => removeVersion(db, id),
  'POST /versions/{id}/copy': ({ locals, id, body, key }) => copyVersion(locals, id, body, key),
  'POST /versions/{id}/replay': ({ locals, id, body, key }) => replayVersion(locals, id, body, key),
  'GET /versions/{id}/replayed': ({ db, id }) => replayedEntries(db, id),
  'POST /versions/{id}/close': ({ db, id, body }) => switchVersion(db, id, 'closed', body.pf_user),
  'POST /versions/{id}/open': ({ db, id, body }) => switchVersion(db, id, 'open', body.pf_user),
};
