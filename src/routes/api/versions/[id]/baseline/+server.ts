import { json } from '@sveltejs/kit';
import { BaselineRequest } from '$lib/contract/loads';
import { UndoRequest } from '$lib/contract/log';
import { readOptionalWrite, readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { clearBaseline, loadBaseline } from '$lib/server/services/loads/loads';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, BaselineRequest);
  return json(await loadBaseline(locals, id, body, key));
};

export const DELETE: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readOptionalWrite(event, UndoRequest);
  return json(await clearBaseline(locals, id, body.pf_user ?? null, key));
};
