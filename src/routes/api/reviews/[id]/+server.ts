import { json } from '@sveltejs/kit';
import { DeleteReviewRequest, EditReviewRequest } from '$lib/contract/reviews';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { editReview, personOf, removeReview } from '$lib/server/services/people/reviews';
import type { RequestHandler } from './$types';

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, EditReviewRequest);
  return json(await editReview(locals.db, id, body, personOf(locals.me, body)));
};

export const DELETE: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, DeleteReviewRequest);
  await removeReview(locals.db, id, personOf(locals.me, body));
  return new Response(null, { status: 204 });
};
