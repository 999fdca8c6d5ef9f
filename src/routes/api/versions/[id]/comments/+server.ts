import { json } from '@sveltejs/kit';
import { CommentRequest } from '$lib/contract/comments';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { addComment, comments } from '$lib/server/services/comments';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await comments(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, CommentRequest);
  return json(await addComment(locals, id, body, key), { status: 201 });
};
