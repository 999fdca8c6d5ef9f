/** Loads the data of the current page again. */
import { invalidate } from '$app/navigation';
import { navigating } from '$app/state';

/** Upper limit of navigations that follow each other directly. */
const MOST_NAVIGATIONS = 100;

/**
 * Reloads the data of the current page that depend on something.
 *
 * SvelteKit drops a navigation if data are invalidated while it is in progress: the requested page never
 * appears. So this waits for the navigation, and for one that replaces it. If it led to another page, nothing
 * is reloaded.
 */
export async function refresh(dependency: `pf:${string}`): Promise<void> {
  for (let i = 0; navigating.complete && i < MOST_NAVIGATIONS; i++)
    await navigating.complete.catch(() => undefined);
  await invalidate(dependency);
}

/**
 * Reloads the data of the current page after a failed request, because others may have changed them. If the data
 * cannot be read, nothing is reloaded: an error page would replace the page and the contents of its forms.
 *
 * @param probe reads a part of the data
 */
export async function refreshAfterFailure(
  dependency: `pf:${string}`,
  probe: () => Promise<unknown>,
): Promise<void> {
  const canRead = await probe().then(
    () => true,
    () => false,
  );
  if (canRead) await refresh(dependency);
}
