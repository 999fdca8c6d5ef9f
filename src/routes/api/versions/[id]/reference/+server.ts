import { json } from '@sveltejs/kit';
import { LoadRequest } from '$lib/contract/loads';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { load } from '$lib/server/services/loads/loads';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, LoadRequest);
  return json(await load(locals, id, 'reference', body, key));
};
