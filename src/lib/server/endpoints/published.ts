/** Handlers of published plans. */
import type { PUBLISHED_ENDPOINTS } from '../../contract/endpoints/published';
import { publish, publishedVersions, withdraw } from '../services/setup/published';
import type { Handlers } from './asked';

export const publishedHandlers: Handlers<typeof PUBLISHED_ENDPOINTS> = {
  'GET /sources/{id}/published': ({ db, id }) => publishedVersions(db, id),
  'PUT /versions/{id}/published': ({ db, id, body }) => publish(db, id, body),
  'DELETE /published/{id}': ({ db, id }) => withdraw(db, id),
};
