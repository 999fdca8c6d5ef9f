import { json } from '@sveltejs/kit';
import { tables } from '$lib/server/services/setup/tables';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals }) => json(await tables(locals.db));
