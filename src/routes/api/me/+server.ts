import { json } from '@sveltejs/kit';
import type { RequestHandler } from './$types';

/** Who is signed in, and what they may do. */
export const GET: RequestHandler = ({ locals }) => json(locals.me);
