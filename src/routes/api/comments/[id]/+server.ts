import { json } from '@sveltejs/kit';
import { DeleteCommentRequest, EditCommentRequest } from '$lib/contract/comments';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { editComment, removeComment } from '$lib/server/services/people/comments';
import type { RequestHandler } from './$types';

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, EditCommentRequest);
  return json(await editComment(locals.db, id, body));
};

export const DELETE: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const { pf_user } = await readJson({ request, locals }, DeleteCommentRequest);
  await removeComment(locals.db, id, pf_user);
  return new Response(null, { status: 204 });
};
