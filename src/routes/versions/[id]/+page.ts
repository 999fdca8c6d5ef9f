import { error } from '@sveltejs/kit';
import { call } from '$lib/client/api';
import { sourceName } from '$lib/components/source-name';
import type { PageLoad } from './$types';

/** The column metadata comes first: it says which rows to load, and by which key. */
export const load: PageLoad = async ({ params, fetch, depends }) => {
  depends('pf:version');
  const id = Number(params.id);
  if (!Number.isInteger(id)) error(404, 'There is no such version.');
  const version = await call('GET /versions/{id}', { id, fetch });
  const [source, columns] = await Promise.all([
    call('GET /sources/{id}', { id: version.source_id, fetch }),
    call('GET /sources/{id}/columns', { id: version.source_id, fetch }),
  ]);
  return {
    crumbs: [
      { label: 'Sources', href: '/' },
      { label: sourceName(source), href: `/sources/${source.id}` },
      { label: version.name },
    ],
    version,
    source,
    columns,
  };
};
