import { IMPORT_BODY_LIMIT, ImportRequest } from '$lib/contract/imports';
import { operationResponse } from '$lib/server/http/answers';
import { asksForArrow } from '$lib/server/http/asked';
import { readWrite } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { importCells } from '$lib/server/services/operations/import';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const { locals, params, request } = event;
  const id = idParam(params.id, 'id');
  const { body, key } = await readWrite(event, ImportRequest, IMPORT_BODY_LIMIT);
  return operationResponse(await importCells(locals, id, body, key), asksForArrow(request));
};
