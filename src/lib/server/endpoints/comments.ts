/** Handlers of comments. */
import type { COMMENT_ENDPOINTS } from '../../contract/endpoints/comments';
import {
  addComment,
  comments,
  editComment,
  mentions,
  removeComment,
} from '../services/people/comments';
import { type Handlers, userOf } from './asked';

export const commentHandlers: Handlers<typeof COMMENT_ENDPOINTS> = {
  'GET /versions/{id}/comments': ({ db, id, query }) => comments(db, id, query.resolved),
  'POST /versions/{id}/comments': ({ locals, id, body, key }) => addComment(locals, id, body, key),
  'PATCH /comments/{id}': ({ db, id, body }) => editComment(db, id, body),
  'DELETE /comments/{id}': ({ db, id, body }) => removeComment(db, id, body.pf_user),
  'GET /comments/mentions': ({ locals, db, query }) => mentions(db, userOf(locals, query.user)),
};
