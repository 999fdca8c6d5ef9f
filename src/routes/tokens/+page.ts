import { call } from '$lib/client/api';
import type { PageLoad } from './$types';

/** Loads the tokens. */
export const load: PageLoad = async ({ fetch, depends }) => {
  depends('pf:tokens');
  return {
    crumbs: [{ label: 'Sources', href: '/' }, { label: 'Tokens' }],
    tokens: await call('GET /tokens', { fetch }),
  };
};
