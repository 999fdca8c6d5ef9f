import { error } from '@sveltejs/kit';
import { call } from '$lib/client/api';
import { ApiError } from '$lib/client/http';
import { user } from '$lib/client/user.svelte';
import { sourceName } from '$lib/components/source-name';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params, fetch, depends, parent }) => {
  depends('pf:source');
  const id = Number(params.id);
  if (!Number.isInteger(id)) error(404, 'There is no such source.');
  // The layout asks for the roles of the user.
  const [source] = await Promise.all([call('GET /sources/{id}', { id, fetch }), parent()]);
  const [columns, stored, coming, versions, lookups, territories] = await Promise.all([
    call('GET /sources/{id}/columns', { id, fetch }),
    call('GET /sources/{id}/sql', { id, fetch }),
    comingTemplates(id, fetch),
    call('GET /sources/{id}/versions', { id, fetch }),
    user.mayAdminister ? call('GET /sources/{id}/lookups', { id, fetch }) : [],
    user.mayAdminister ? call('GET /sources/{id}/territories', { id, fetch }) : [],
  ]);
  return {
    crumbs: [{ label: 'Sources', href: '/' }, { label: sourceName(source) }],
    source,
    columns,
    stored,
    coming,
    versions,
    lookups,
    territories,
  };
};

/** What a generation would write now, or why it would fail. */
async function comingTemplates(id: number, fetch: typeof globalThis.fetch) {
  try {
    return {
      templates: await call('GET /sources/{id}/sql/preview', { id, fetch }),
      obstacle: null,
    };
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 422) throw cause;
    return { templates: null, obstacle: cause.message };
  }
}
