import { listSources, listVersions } from '$lib/client/api';
import { readColumnWords } from '$lib/components/column-words';
import type { PageLoad } from './$types';

/** Loads the sources first; then the versions of each, without waiting for one another. */
export const load: PageLoad = async ({ fetch, depends }) => {
  depends('pf:sources');
  const sources = await listSources({ all: true, fetch });
  return {
    crumbs: [],
    sources: sources.map((source) => ({
      source,
      words: source.territory ? readColumnWords(source.id, { fetch }) : null,
      versions: listVersions(source.id, { fetch }),
    })),
  };
};
