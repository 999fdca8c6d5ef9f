import { ActualsRequest } from '$lib/contract/actuals';
import { actualsResponse } from '$lib/server/http/answers';
import { asksForArrow } from '$lib/server/http/asked';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { actuals } from '$lib/server/services/loads/actuals';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params, request } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, ActualsRequest);
  return actualsResponse(await actuals(locals, id, body, asksForArrow(request), key));
};
