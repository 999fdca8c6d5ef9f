import { json } from '@sveltejs/kit';
import { BaselineRequest } from '$lib/contract/loads';
import { idParam, logidParam, readWrite } from '$lib/server/http';
import { editSegment } from '$lib/server/services/loads';
import type { RequestHandler } from './$types';

export const PUT: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const logid = logidParam(params.logid);
  const { body, key } = await readWrite(event, BaselineRequest);
  return json(await editSegment(locals, id, logid, body, key));
};
