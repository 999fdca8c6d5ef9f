import { json } from '@sveltejs/kit';
import { idParam } from '$lib/server/http/params';
import { previewTemplates } from '$lib/server/services/setup/generate';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await previewTemplates(locals.db, idParam(params.id, 'id')));
