import { json } from '@sveltejs/kit';
import { idParam } from '$lib/server/http/params';
import { replayedEntries } from '$lib/server/services/replay/replay';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await replayedEntries(locals.db, idParam(params.id, 'id')));
