import { json } from '@sveltejs/kit';
import { MISFIT_CHOICES } from '$lib/contract/files';
import { targetQuery, withFile } from '$lib/server/http/file-body';
import { choiceQuery } from '$lib/server/http/params';
import { files, tableFromFile } from '$lib/server/services/setup/files';
import type { RequestHandler } from './$types';

export const GET: RequestHandler = ({ locals }) => json(files(locals.config.fileLimit));

export const POST: RequestHandler = async (event) => {
  const misfits = choiceQuery(event.url, 'misfits', MISFIT_CHOICES, 'refuse');
  const asked = targetQuery(event.url);
  const table = await withFile(event, (file) =>
    tableFromFile(event.locals.db, file, misfits, asked),
  );
  return json(table, { status: 201 });
};
