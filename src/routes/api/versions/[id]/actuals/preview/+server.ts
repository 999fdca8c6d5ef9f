import { json } from '@sveltejs/kit';
import { ActualsPreviewRequest } from '$lib/contract/actuals';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewActuals } from '$lib/server/services/loads/actuals';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, ActualsPreviewRequest);
  return json(await previewActuals(locals, id, body));
};
