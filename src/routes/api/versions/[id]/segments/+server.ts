import { json } from '@sveltejs/kit';
import { idParam } from '$lib/server/http/params';
import { segments } from '$lib/server/services/loads/loads';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await segments(locals.db, idParam(params.id, 'id')));
