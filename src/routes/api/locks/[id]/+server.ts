import { idParam } from '$lib/server/http/params';
import { removeLock } from '$lib/server/services/version/locks';
import type { RequestHandler } from './$types';

export const DELETE: RequestHandler = async ({ locals, params }) => {
  await removeLock(locals.db, idParam(params.id, 'id'));
  return new Response(null, { status: 204 });
};
