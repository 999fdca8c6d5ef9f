import { json } from '@sveltejs/kit';
import { EditNoteRequest } from '$lib/contract/log';
import { logidParam, readJson, readWriteKey, undoResponse } from '$lib/server/http';
import { editNote, undo } from '$lib/server/services/log';
import type { RequestHandler } from './$types';

export const DELETE: RequestHandler = async (event) => {
  const { locals, params } = event;
  const logid = logidParam(params.logid);
  return undoResponse(await undo(locals, logid, await readWriteKey(event)));
};

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const logid = logidParam(params.logid);
  const { note } = await readJson({ request, locals }, EditNoteRequest);
  return json(await editNote(locals.db, logid, note));
};
