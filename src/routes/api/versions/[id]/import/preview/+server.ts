import { json } from '@sveltejs/kit';
import { IMPORT_BODY_LIMIT, ImportPreviewRequest } from '$lib/contract/imports';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewImport } from '$lib/server/services/operations/import';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, ImportPreviewRequest, IMPORT_BODY_LIMIT);
  return json(await previewImport(locals.db, id, body));
};
