import { json } from '@sveltejs/kit';
import { idParam } from '$lib/server/http/params';
import { generate, templates } from '$lib/server/services/setup/generate';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await templates(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async ({ locals, params }) =>
  json(await generate(locals.db, idParam(params.id, 'id')));
