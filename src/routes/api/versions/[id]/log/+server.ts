import { json } from '@sveltejs/kit';
import { historyHeaders } from '$lib/server/http/answers';
import { idParam } from '$lib/server/http/params';
import { logEntries } from '$lib/server/services/entries/log';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) => {
  const { log, history } = await logEntries(locals, idParam(params.id, 'id'));
  return json(log, { headers: historyHeaders(history) });
};
