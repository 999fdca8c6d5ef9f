import { json } from '@sveltejs/kit';
import { ReplayVersionRequest } from '$lib/contract/replays';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { replayVersion } from '$lib/server/services/replay/replay';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, ReplayVersionRequest);
  return json(await replayVersion(locals, id, body, key), { status: 201 });
};
