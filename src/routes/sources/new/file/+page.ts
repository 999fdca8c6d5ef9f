import { getFiles } from '$lib/client/files';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ fetch }) => ({
  crumbs: [{ label: 'Sources', href: '/' }, { label: 'From a file' }],
  files: await getFiles({ fetch }),
});
