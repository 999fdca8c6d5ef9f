import { json } from '@sveltejs/kit';
import { RedoRequest } from '$lib/contract/log';
import { operationResponse } from '$lib/server/http/answers';
import { asksForArrow } from '$lib/server/http/asked';
import { readWrite } from '$lib/server/http/request-body';
import { idParam, logidParam } from '$lib/server/http/params';
import { redo } from '$lib/server/services/replay/redo';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params, request } = event;
  const id = idParam(params.id, 'id');
  const logid = logidParam(params.logid);
  const { body, key } = await readWrite(event, RedoRequest);
  const { memory, ...answer } = await redo(locals, id, logid, body.pf_user, key);
  if ('skipped' in answer) return operationResponse({ ...answer, memory }, asksForArrow(request));
  memory.release();
  return json(answer);
};
