import { json } from '@sveltejs/kit';
import { SlicesPreviewRequest } from '$lib/contract/previews';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewSlices } from '$lib/server/services/operations/slice';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, SlicesPreviewRequest);
  return json(await previewSlices(locals.db, id, body));
};
