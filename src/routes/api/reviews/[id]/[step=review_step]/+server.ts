import { json } from '@sveltejs/kit';
import { ReviewStepRequest } from '$lib/contract/reviews';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { personOf, takeStep } from '$lib/server/services/people/reviews';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, ReviewStepRequest);
  const person = personOf(locals.me, body);
  return json(await takeStep(locals, id, { ...body, step: params.step, person }, key));
};
