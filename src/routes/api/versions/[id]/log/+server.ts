import { json } from '@sveltejs/kit';
import { idParam, timelineHeader } from '$lib/server/http';
import { logEntries } from '$lib/server/services/log';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) => {
  const log = await logEntries(locals, idParam(params.id, 'id'));
  // Known by the time that a connection to this history has answered.
  return json(log, { headers: timelineHeader(locals.db.timeline) });
};
