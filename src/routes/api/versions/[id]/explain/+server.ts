import { json } from '@sveltejs/kit';
import { ExplainRequest } from '$lib/contract/log';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { explain } from '$lib/server/services/entries/log';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const { slice } = await readJson({ request, locals }, ExplainRequest);
  return json(await explain(locals.db, id, slice));
};
