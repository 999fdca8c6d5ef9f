import { call } from '$lib/client/api';
import type { PageLoad } from './$types';

/** Loads the tokens, and the sources that they can be limited to. */
export const load: PageLoad = async ({ fetch, depends }) => {
  depends('pf:tokens');
  const [tokens, sources] = await Promise.all([
    call('GET /tokens', { fetch }),
    call('GET /sources', { query: { status: 'all' }, fetch }),
  ]);
  return { crumbs: [{ label: 'Sources', href: '/' }, { label: 'Tokens' }], tokens, sources };
};
