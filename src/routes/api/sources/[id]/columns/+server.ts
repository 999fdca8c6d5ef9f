import { json } from '@sveltejs/kit';
import { ColumnsSaveRequest } from '$lib/contract/columns';
import { readJson } from '$lib/server/http/request-body';
import { idParam } from '$lib/server/http/params';
import { columns, saveColumns } from '$lib/server/services/setup/column-metadata';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = async ({ locals, params }) =>
  json(await columns(locals.db, idParam(params.id, 'id')));

export const PUT: RequestHandler = async ({ locals, params, request }) => {
  const id = idParam(params.id, 'id');
  const body = await readJson({ request, locals }, ColumnsSaveRequest);
  return json(await saveColumns(locals.db, id, body));
};
