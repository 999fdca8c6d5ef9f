import { ReverseRequest } from '$lib/contract/operations';
import { previewResponse } from '$lib/server/http/answers';
import { asksForArrow } from '$lib/server/http/asked';
import { readJson } from '$lib/server/http/request-body';
import { logidParam } from '$lib/server/http/params';
import { previewReverse } from '$lib/server/services/operations/preview';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const logid = logidParam(params.logid);
  const body = await readJson({ request, locals }, ReverseRequest);
  return previewResponse(await previewReverse(locals, logid, body), asksForArrow(request));
};
