import { json } from '@sveltejs/kit';
import { ForecastPreviewRequest } from '$lib/contract/forecasts';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewForecast } from '$lib/server/services/loads/forecast';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, ForecastPreviewRequest);
  return json(await previewForecast(locals.db, id, body));
};
