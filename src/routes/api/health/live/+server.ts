import { json } from '@sveltejs/kit';
import type { RequestHandler } from './$types';

/** Whether this process can answer, whatever the database does. */
export const GET: RequestHandler = () => json({ status: 'ok' });
