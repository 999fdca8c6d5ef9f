import { json } from '@sveltejs/kit';
import { RegisterSourceRequest } from '$lib/contract/sources';
import { readJson } from '$lib/server/http/request-body';
import { choiceQuery } from '$lib/server/http/params';
import { registerSource, sources } from '$lib/server/services/setup/sources';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, url }) => {
  const status = choiceQuery(url, 'status', ['active', 'all'], 'active');
  return json(await sources(locals.db, status === 'all'));
};

export const POST: RequestHandler = async ({ locals, request }) => {
  const body = await readJson({ request, locals }, RegisterSourceRequest);
  return json(await registerSource(locals.db, body), { status: 201 });
};
