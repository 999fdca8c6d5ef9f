import { error } from '@sveltejs/kit';
import {
  getSource,
  getVersion,
  listColumns,
  listLog,
  listSegments,
  previewLoad,
} from '$lib/client/api';
import { isLoad } from '$lib/contract/operations';
import { pivotLink } from '$lib/components/pivot-link';
import { sourceName } from '$lib/components/source-name';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, fetch, depends }) => {
  depends('pf:baseline');
  const id = Number(params.id);
  if (!Number.isInteger(id)) error(404, 'There is no such version.');
  const version = await getVersion(id, { fetch });
  const [source, columns, segments, log] = await Promise.all([
    getSource(version.source_id, { fetch }),
    listColumns(version.source_id, { fetch }),
    listSegments(id, { fetch }),
    listLog(id, { fetch }),
  ]);
  const operations = log.entries.filter(({ operation }) => !isLoad(operation));
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
    operationCount: operations.length,
    /** All rows of the source: its span for the picture. Counting them may take a while. */
    whole: previewLoad(id, { filters: [] }, { fetch }).catch(() => null),
  };
};
