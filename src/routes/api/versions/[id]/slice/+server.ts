import { json } from '@sveltejs/kit';
import { SlicePreviewRequest } from '$lib/contract/previews';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewSlice } from '$lib/server/services/operate';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const { slice } = await readJson({ request, locals }, SlicePreviewRequest);
  return json(await previewSlice(locals.db, id, slice));
};
