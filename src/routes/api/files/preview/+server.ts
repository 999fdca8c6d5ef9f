import { json } from '@sveltejs/kit';
import { targetQuery, withFile } from '$lib/server/http/file-body';
import { previewFile } from '$lib/server/services/setup/files';
import type { RequestHandler } from './$types';

export const POST: RequestHandler = async (event) => {
  const asked = targetQuery(event.url);
  return json(await withFile(event, (file) => previewFile(event.locals.db, file, asked)));
};
