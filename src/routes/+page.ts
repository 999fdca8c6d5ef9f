import { listSources, listVersions } from '$lib/client/api';
import type { PageLoad } from './$types';

/** The sources at once; their versions follow, each source's on its own. */
export const load: PageLoad = async ({ fetch, depends }) => {
  depends('pf:sources');
  const sources = await listSources({ all: true, fetch });
  return {
    crumbs: [],
    sources: sources.map((source) => ({ source, versions: listVersions(source.id, { fetch }) })),
  };
};
