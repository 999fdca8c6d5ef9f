import { json } from '@sveltejs/kit';
import { ForecastRequest } from '$lib/contract/forecasts';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { forecast } from '$lib/server/services/loads/forecast-load';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, ForecastRequest);
  return json(await forecast(locals, id, body, key));
};
