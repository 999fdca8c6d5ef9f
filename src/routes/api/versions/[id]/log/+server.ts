import { json } from '@sveltejs/kit';
import { idParam } from '$lib/server/http';
import { logEntries } from '$lib/server/services/log';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await logEntries(locals, idParam(params.id, 'id')));
