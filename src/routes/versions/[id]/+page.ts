import { error } from '@sveltejs/kit';
import { call } from '$lib/client/api';
import { planData } from '$lib/components/pivot/page/plan-data';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, fetch, depends }) => {
  depends('pf:version');
  const id = Number(params.id);
  if (!Number.isInteger(id)) error(404, 'There is no such version.');
  const version = await call('GET /versions/{id}', { id, fetch });
  return planData(version, version.name, fetch);
};
