import { IMPORT_BODY_LIMIT } from '$lib/contract/imports';
import { SeveralPreviewRequest } from '$lib/contract/previews';
import { severalPreviewResponse } from '$lib/server/http/answers';
import { asksForArrow } from '$lib/server/http/asked';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { previewSeveral } from '$lib/server/services/operations/preview';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const { operations } = await readJson(
    { request, locals },
    SeveralPreviewRequest,
    IMPORT_BODY_LIMIT,
  );
  return severalPreviewResponse(
    await previewSeveral(locals, id, operations),
    asksForArrow(request),
  );
};
