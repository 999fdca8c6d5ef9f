import { AppError } from '$lib/server/errors';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals: { metrics } }) => {
  if (!metrics) throw new AppError(404, 'PF_METRICS=0 turns the metrics off');
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
};
