import { json } from '@sveltejs/kit';
import { CommentRequest, MOST_RESOLVED } from '$lib/contract/comments';
import { readWrite } from '$lib/server/http/request-body';
import { idParam, integerQuery } from '$lib/server/http/params';
import { addComment, comments } from '$lib/server/services/people/comments';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params, url }) => {
  const id = idParam(params.id, 'id');
  const range = { min: 0, max: MOST_RESOLVED, fallback: undefined };
  return json(await comments(locals.db, id, integerQuery(url, 'resolved', range)));
};

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, CommentRequest);
  return json(await addComment(locals, id, body, key), { status: 201 });
};
