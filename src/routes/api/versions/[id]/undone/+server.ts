import { json } from '@sveltejs/kit';
import { idParam } from '$lib/server/http/params';
import { undoneEntries } from '$lib/server/services/entries/log';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await undoneEntries(locals.db, idParam(params.id, 'id')));
