import { call } from '$lib/client/api';
import { FILES_SCHEMA } from '$lib/contract/files';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ fetch, url }) => {
  const [files, all] = await Promise.all([
    call('GET /files', { fetch }),
    call('GET /tables', { fetch }),
  ]);
  const tables = all.filter(({ schema, kind }) => schema === FILES_SCHEMA && kind === 'table');
  const asked = url.searchParams.get('table');
  return {
    crumbs: [{ label: 'Sources', href: '/' }, { label: 'From a file' }],
    files,
    /** The tables that came from files. */
    tables,
    /** The table that the address names. */
    table: tables.find(({ tname }) => tname === asked)?.tname ?? null,
  };
};
