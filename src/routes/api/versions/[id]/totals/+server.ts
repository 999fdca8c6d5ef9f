import { json } from '@sveltejs/kit';
import { idParam } from '$lib/server/http/params';
import { versionTotals } from '$lib/server/services/reading/version-totals';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await versionTotals(locals, idParam(params.id, 'id')));
