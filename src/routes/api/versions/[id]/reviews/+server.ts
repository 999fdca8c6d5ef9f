import { json } from '@sveltejs/kit';
import { ReviewRequest } from '$lib/contract/reviews';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { addReview, reviews } from '$lib/server/services/people/reviews';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await reviews(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, ReviewRequest);
  return json(await addReview(locals, id, body, key), { status: 201 });
};
