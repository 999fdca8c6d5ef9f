import { error } from '@sveltejs/kit';
import { call } from '$lib/client/api';
import { planData } from '$lib/components/pivot/page/plan-data';
import type { PageLoad } from './$types';

/** The version that has the name now (docs/contract/23-names-and-published-plans.md#current-names). */
export const load: PageLoad = async ({ params, fetch, depends }) => {
  depends('pf:version');
  const { name } = params;
  const source = Number(params.source);
  if (!Number.isInteger(source)) error(404, 'There is no such source.');
  const version = await call('GET /current/{name}', { name, query: { source }, fetch });
  return { ...(await planData(version, `${version.name} (${name})`, fetch)), name };
};
