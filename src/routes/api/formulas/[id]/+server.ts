import { json } from '@sveltejs/kit';
import { EditFormulaRequest } from '$lib/contract/formulas';
import { idParam } from '$lib/server/http/params';
import { readJson } from '$lib/server/http/request-body';
import { deleteFormula, editFormula } from '$lib/server/services/setup/formulas';
import type { RequestHandler } from './$types';

export const PATCH: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, EditFormulaRequest);
  return json(await editFormula(locals.db, id, body));
};

export const DELETE: RequestHandler = async ({ locals, params }) => {
  await deleteFormula(locals.db, idParam(params.id, 'id'));
  return new Response(null, { status: 204 });
};
