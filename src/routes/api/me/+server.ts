import { json } from '@sveltejs/kit';
import type { RequestHandler } from './$types';

/** The signed-in person and their roles. */
export const GET: RequestHandler = ({ locals: { me } }) => json({ user: me.user, roles: me.roles });
