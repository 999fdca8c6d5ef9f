import { call } from '$lib/client/api';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ fetch }) => ({
  crumbs: [{ label: 'Sources', href: '/' }, { label: 'Register a table' }],
  tables: await call('GET /tables', { fetch }),
});
