import { json } from '@sveltejs/kit';
import { LoadPreviewRequest } from '$lib/contract/loads';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewLoad } from '$lib/server/services/loads/loads';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, LoadPreviewRequest);
  return json(await previewLoad(locals.db, id, body));
};
