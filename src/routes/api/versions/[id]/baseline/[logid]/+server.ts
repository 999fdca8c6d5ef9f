import { json } from '@sveltejs/kit';
import { BaselineRequest } from '$lib/contract/loads';
import { readWrite } from '$lib/server/http/request-body';
import { idParam, logidParam } from '$lib/server/http/params';
import { editSegment } from '$lib/server/services/loads/loads';
import type { RequestHandler } from './$types';

export const PUT: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const logid = logidParam(params.logid);
  const { body, key } = await readWrite(event, BaselineRequest);
  return json(await editSegment(locals, id, logid, body, key));
};
