import { error } from '@sveltejs/kit';
import { call } from '$lib/client/api';
import { ApiError } from '$lib/client/http';
import { pivotLink } from '$lib/components/pivot-link';
import { sourceName } from '$lib/components/source-name';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, fetch, depends }) => {
  depends('pf:replayed');
  const id = Number(params.id);
  if (!Number.isInteger(id)) error(404, 'There is no such version.');
  const version = await call('GET /versions/{id}', { id, fetch });
  const [source, columns, replayed] = await Promise.all([
    call('GET /sources/{id}', { id: version.source_id, fetch }),
    call('GET /sources/{id}/columns', { id: version.source_id, fetch }),
    call('GET /versions/{id}/replayed', { id, fetch }),
  ]);
  const originalId = replayed[0]?.entry.version_id;
  return {
    crumbs: [
      { label: 'Sources', href: '/' },
      { label: sourceName(source), href: `/sources/${source.id}` },
      { label: version.name, href: pivotLink(id) },
      { label: 'Results of the replay' },
    ],
    version,
    source,
    columns,
    replayed,
    /** Null if it was deleted since, and for a version that is not a replay. */
    original:
      originalId === undefined
        ? null
        : await call('GET /versions/{id}', { id: originalId, fetch }).catch((failure: unknown) => {
            if (failure instanceof ApiError && failure.status === 404) return null;
            throw failure;
          }),
  };
};
