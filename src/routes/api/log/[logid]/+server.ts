import { json } from '@sveltejs/kit';
import { EditNoteRequest, UndoRequest } from '$lib/contract/log';
import { undoResponse } from '$lib/server/http/answers';
import { prefersMinimal } from '$lib/server/http/asked';
import { readJson, readOptionalWrite } from '$lib/server/http/request-body';
import { logidParam } from '$lib/server/http/params';
import { editNote, undo } from '$lib/server/services/entries/log';
import type { RequestHandler } from './$types';

export const DELETE: RequestHandler = async (event) => {
  const { locals, params } = event;
  const logid = logidParam(params.logid);
  const { body, key } = await readOptionalWrite(event, UndoRequest);
  const withKeys = !prefersMinimal(event.request);
  return undoResponse(await undo(locals, logid, body.pf_user ?? null, withKeys, key));
};

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const logid = logidParam(params.logid);
  const { note } = await readJson({ request, locals }, EditNoteRequest);
  return json(await editNote(locals.db, logid, note));
};
