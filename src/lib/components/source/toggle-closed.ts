/** Closes and opens versions. */
import { call } from '$lib/client/api';
import { messageOf } from '$lib/client/message-of';
import { user } from '$lib/client/user.svelte';
import type { Version } from '$lib/contract/versions';
import { toasts } from '../ui/toasts';

/**
 * Closes an open version, or opens a closed one, and reports the result to the user.
 *
 * @param onEnd called with the changed version, before it is reported; with null after the service refused. Not
 * called if the user did not give a name
 */
export async function toggleClosed(
  { id, name, status }: Version,
  onEnd: (changed: Version | null) => Promise<void> | void,
): Promise<void> {
  const pf_user = await user.require();
  if (pf_user === null) return;
  const isOpen = status === 'open';
  try {
    const endpoint = isOpen ? 'POST /versions/{id}/close' : 'POST /versions/{id}/open';
    const changed = await call(endpoint, { id, body: { pf_user } });
    await onEnd(changed);
    toasts.success(`${name} is ${isOpen ? 'closed' : 'open again'}.`);
  } catch (error) {
    toasts.failure(messageOf(error));
    await onEnd(null);
  }
}
