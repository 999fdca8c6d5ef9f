import { json } from '@sveltejs/kit';
import { timelineHeader } from '$lib/server/http/answers';
import { idParam } from '$lib/server/http/params';
import { logEntries } from '$lib/server/services/log';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) => {
  const { log, timeline } = await logEntries(locals, idParam(params.id, 'id'));
  return json(log, { headers: timelineHeader(timeline) });
};
