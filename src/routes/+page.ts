import { call } from '$lib/client/api';
import type { PageLoad } from './$types';

/** Loads the sources; the card of each reads its versions. */
export const load: PageLoad = async ({ fetch }) => ({
  crumbs: [],
  sources: await call('GET /sources', { query: { status: 'all' }, fetch }),
});
