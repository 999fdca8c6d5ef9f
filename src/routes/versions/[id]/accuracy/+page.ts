import { error } from '@sveltejs/kit';
import { getAccuracy, getSource, getVersion, listColumns } from '$lib/client/api';
import { pivotLink } from '$lib/components/pivot-link';
import { sourceName } from '$lib/components/source-name';
import { PlannedVersion } from '$lib/plan/version/planned-version.svelte';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, url, fetch }) => {
  const id = Number(params.id);
  if (!Number.isInteger(id)) error(404, 'There is no such version.');
  const by = url.searchParams.getAll('by');
  const lag = url.searchParams.get('lag');
  const query = new URLSearchParams(by.map((name) => ['by', name]));
  if (lag) query.set('lag', lag);
  const version = await getVersion(id, { fetch });
  const [source, columns] = await Promise.all([
    getSource(version.source_id, { fetch }),
    listColumns(version.source_id, { fetch }),
  ]);
  const planned = new PlannedVersion(version, source, columns);
  const [first] = planned.measureKeys;
  const asked = url.searchParams.get('measure') ?? 'value';
  // An address can name a measure that the source no longer has.
  const measure = planned.measureKeys.includes(asked) ? asked : first;
  if (measure) query.set('measure', measure);
  const accuracy = await getAccuracy(id, query, { fetch });
  return {
    crumbs: [
      { label: 'Sources', href: '/' },
      { label: sourceName(source), href: `/sources/${source.id}` },
      { label: version.name, href: pivotLink(id) },
      { label: 'Accuracy' },
    ],
    version,
    planned,
    accuracy,
    by,
    lag: lag ?? '',
    measure,
  };
};
