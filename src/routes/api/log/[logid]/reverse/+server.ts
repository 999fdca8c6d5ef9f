import { ReverseRequest } from '$lib/contract/operations';
import { operationResponse } from '$lib/server/http/answers';
import { asksForArrow } from '$lib/server/http/asked';
import { readWrite } from '$lib/server/http/request-body';
import { logidParam } from '$lib/server/http/params';
import { reverse } from '$lib/server/services/operations/reverse';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params, request } = event;
  const logid = logidParam(params.logid);
  const { body, key } = await readWrite(event, ReverseRequest);
  return operationResponse(await reverse(locals, logid, body, key), asksForArrow(request));
};
