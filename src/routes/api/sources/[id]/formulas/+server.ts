import { json } from '@sveltejs/kit';
import { CreateFormulaRequest } from '$lib/contract/formulas';
import { idParam } from '$lib/server/http/params';
import { readJson } from '$lib/server/http/request-body';
import { createFormula, listFormulas } from '$lib/server/services/setup/formulas';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await listFormulas(locals.db, idParam(params.id, 'id')));

export const POST: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, CreateFormulaRequest);
  return json(await createFormula(locals.db, id, body), { status: 201 });
};
