/** Reads what the page of a version is opened with. */
import { call } from '$lib/client/api';
import type { Version } from '$lib/contract/versions';
import { sourceName } from '../../source-name';

/**
 * Reads the source and the columns of a version. The column metadata comes first: it says which rows to load, and by
 * which key.
 *
 * @param shown how the breadcrumbs name the version
 * @throws ApiError
 */
export async function planData(version: Version, shown: string, fetch: typeof globalThis.fetch) {
  const [source, columns] = await Promise.all([
    call('GET /sources/{id}', { id: version.source_id, fetch }),
    call('GET /sources/{id}/columns', { id: version.source_id, fetch }),
  ]);
  return {
    crumbs: [
      { label: 'Sources', href: '/' },
      { label: sourceName(source), href: `/sources/${source.id}` },
      { label: shown },
    ],
    version,
    source,
    columns,
  };
}
