/** Sets, moves and removes current names. */
import { call } from '$lib/client/api';
import { user } from '$lib/client/user.svelte';
import type { Version } from '$lib/contract/versions';
import { toasts } from '../ui/toasts';

/**
 * Lets a current name stand for a version, or removes it, on behalf of the user, and reports it.
 *
 * @param version null removes the name
 * @returns whether it was done: a user who is asked for their name may give none
 * @throws ApiError
 */
export async function setCurrent(
  sourceId: number,
  name: string,
  version: Version | null,
): Promise<boolean> {
  const pf_user = await user.require();
  if (pf_user === null) return false;
  await call('PUT /sources/{id}/current', {
    id: sourceId,
    body: { name, version_id: version?.id ?? null, pf_user },
  });
  toasts.success(version ? `“${name}” stands for ${version.name} now.` : `“${name}” is removed.`);
  return true;
}
