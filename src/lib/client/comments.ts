/** The endpoints of comments as typed functions. */
import type { Comment, CommentRequest, EditCommentRequest, Mention } from '../contract/comments';
import { type CallOptions, json, path, send } from './http';
import { write } from './writes';

/** GET /versions/:id/comments: oldest first, with their replies; all open threads, and the `resolved` most recently resolved ones. */
export const listComments = (versionId: number, resolved: number, o?: CallOptions) =>
  json<Comment[]>(`${path`/versions/${versionId}/comments`}?resolved=${resolved}`, o);

/** POST /versions/:id/comments: a thread names its slice, a reply its parent; also on a closed version. */
export const addComment = (versionId: number, body: CommentRequest, o?: CallOptions) =>
  write<Comment>(path`/versions/${versionId}/comments`, { ...o, method: 'POST', body });

/** PATCH /comments/:id: 403 for the text of somebody else; anybody resolves and reopens a thread. */
export const editComment = (id: number, body: EditCommentRequest, o?: CallOptions) =>
  json<Comment>(path`/comments/${id}`, { ...o, method: 'PATCH', body });

/** DELETE /comments/:id: 403 for one of somebody else; 409 while it has replies. */
export const deleteComment = async (id: number, pf_user: string, o?: CallOptions) => {
  await send(path`/comments/${id}`, { ...o, method: 'DELETE', body: { pf_user } });
};

/** GET /comments/mentions: unresolved mentions of a user in all versions, newest first. */
export const listMentions = (user: string, o?: CallOptions) =>
  json<Mention[]>(`/api/comments/mentions?${new URLSearchParams({ user })}`, o);
