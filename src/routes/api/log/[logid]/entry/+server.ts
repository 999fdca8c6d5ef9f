import { json } from '@sveltejs/kit';
import { logidParam } from '$lib/server/http/params';
import { logEntry } from '$lib/server/services/entries/log';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await logEntry(locals.db, logidParam(params.logid)));
