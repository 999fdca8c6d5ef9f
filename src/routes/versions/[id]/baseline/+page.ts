import { error } from '@sveltejs/kit';
import { call, listLog } from '$lib/client/api';
import { isLoad, isRefresh } from '$lib/contract/operations';
import { pivotLink } from '$lib/components/pivot-link';
import { sourceName } from '$lib/components/source-name';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, fetch, depends }) => {
  depends('pf:baseline');
  const id = Number(params.id);
  if (!Number.isInteger(id)) error(404, 'There is no such version.');
  const version = await call('GET /versions/{id}', { id, fetch });
  const [source, columns, segments, log] = await Promise.all([
    call('GET /sources/{id}', { id: version.source_id, fetch }),
    call('GET /sources/{id}/columns', { id: version.source_id, fetch }),
    call('GET /versions/{id}/segments', { id, fetch }),
    listLog(id, { fetch }),
  ]);
  const operations = log.entries.filter(({ operation }) => !isLoad(operation));
  const refreshes = operations.filter(({ operation }) => isRefresh(operation));
  return {
    crumbs: [
      { label: 'Sources', href: '/' },
      { label: sourceName(source), href: `/sources/${source.id}` },
      { label: version.name, href: pivotLink(id) },
      { label: 'Baseline' },
    ],
    version,
    source,
    columns,
    segments,
    /** Includes the refreshes. */
    operationCount: operations.length,
    refreshes,
    /** All rows of the source: its span for the picture. Counting them may take a while. */
    whole: call('POST /versions/{id}/baseline/preview', { id, body: { filters: [] }, fetch }).catch(
      () => null,
    ),
  };
};
