import { json } from '@sveltejs/kit';
import { GrainEstimateRequest } from '$lib/contract/sources';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { estimateGrain } from '$lib/server/services/setup/sources';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const { columns } = await readJson({ request, locals }, GrainEstimateRequest);
  return json(await estimateGrain(locals.db, id, columns));
};
