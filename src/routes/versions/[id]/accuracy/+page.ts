import { error } from '@sveltejs/kit';
import { call } from '$lib/client/api';
import { pivotLink } from '$lib/components/pivot-link';
import { sourceName } from '$lib/components/source-name';
import { PlannedVersion } from '$lib/plan/version/planned-version.svelte';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, url, fetch }) => {
  const id = Number(params.id);
  if (!Number.isInteger(id)) error(404, 'There is no such version.');
  const by = url.searchParams.getAll('by');
  const lag = url.searchParams.get('lag');
  const version = await call('GET /versions/{id}', { id, fetch });
  const [source, columns, lookups] = await Promise.all([
    call('GET /sources/{id}', { id: version.source_id, fetch }),
    call('GET /sources/{id}/columns', { id: version.source_id, fetch }),
    call('GET /sources/{id}/lookups', { id: version.source_id, fetch }),
  ]);
  const planned = new PlannedVersion(version, source, columns);
  const [first] = planned.measureKeys;
  const asked = url.searchParams.get('measure') ?? 'value';
  // An address can name a measure that the source no longer has.
  const measure = planned.measureKeys.includes(asked) ? asked : first;
  const query = { by, measure, lag: lag ? Number(lag) : undefined };
  const accuracy = await call('GET /versions/{id}/accuracy', { id, query, fetch });
  return {
    crumbs: [
      { label: 'Sources', href: '/' },
      { label: sourceName(source), href: `/sources/${source.id}` },
      { label: version.name, href: pivotLink(id) },
      { label: 'Accuracy' },
    ],
    version,
    planned,
    /** The attributes by which cells can be made. */
    attributes: lookups.flatMap(({ problem, attributes }) =>
      problem === null ? attributes.map(({ label }) => label) : [],
    ),
    accuracy,
    by,
    lag: lag ?? '',
    measure,
  };
};
