import { invalidate } from '$app/navigation';
import { navigating } from '$app/state';

/**
 * Loads the data of the page anew that depend on something.
 *
 * SvelteKit drops a navigation if data are invalidated while it is under way: the page that was asked for
 * never comes. So this waits for the navigation. If it led elsewhere, nothing is loaded.
 */
export async function refresh(dependency: `pf:${string}`): Promise<void> {
  await navigating.complete?.catch(() => undefined);
  await invalidate(dependency);
}
