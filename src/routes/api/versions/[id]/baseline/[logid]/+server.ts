import { json } from '@sveltejs/kit';
import { BaselineRequest } from '$lib/contract/loads';
import { idParam, logidParam, readJson } from '$lib/server/http';
import { replaceSegment } from '$lib/server/services/loads';
import type { RequestHandler } from './$types';

export const PUT: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const logid = logidParam(params.logid);
  const body = await readJson({ request, locals }, BaselineRequest);
  return json(await replaceSegment(locals.db, id, logid, body));
};
