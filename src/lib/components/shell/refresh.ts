/** Loads the data of the current page again. */
import { invalidate } from '$app/navigation';
import { navigating } from '$app/state';

/** More navigations than people start one after the other. */
const MOST_NAVIGATIONS = 100;

/**
 * Loads the data of the page anew that depend on something.
 *
 * SvelteKit drops a navigation if data are invalidated while it is under way: the page that was asked for
 * never comes. So this waits for the navigation, and for one that takes its place. If it led elsewhere,
 * nothing is loaded.
 */
export async function refresh(dependency: `pf:${string}`): Promise<void> {
  for (let i = 0; navigating.complete && i < MOST_NAVIGATIONS; i++)
    await navigating.complete.catch(() => undefined);
  await invalidate(dependency);
}
