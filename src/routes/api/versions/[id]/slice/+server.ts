import { json } from '@sveltejs/kit';
import { SlicePreviewRequest } from '$lib/contract/previews';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewSlice } from '$lib/server/services/operations/slice';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, SlicePreviewRequest);
  return json(await previewSlice(locals.db, id, body));
};
