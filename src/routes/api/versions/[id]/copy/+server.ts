import { json } from '@sveltejs/kit';
import { CopyVersionRequest } from '$lib/contract/versions';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { copyVersion } from '$lib/server/services/setup/copy';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, CopyVersionRequest);
  return json(await copyVersion(locals, id, body, key), { status: 201 });
};
