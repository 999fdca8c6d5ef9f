/** The name that the dialog of publishing offers. */
import type { Published } from '$lib/contract/published';

/**
 * Returns the name of the next view to publish, and the current name that it follows: the first current name of the
 * version that no view of the version follows or has as its name. Case makes no difference. If a view of another version
 * has the name, its spelling is offered, so that this view moves and no second one is made.
 *
 * @param id the version
 * @param current the current names of the version
 * @param published the published versions of the source
 * @returns an empty name and null if each current name has a view
 */
export function offeredView(
  id: number,
  current: readonly string[],
  published: readonly Pick<Published, 'name' | 'version_id' | 'current'>[],
): { name: string; current: string | null } {
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const next = current.find(
    (name) =>
      !published.some(
        (view) => view.version_id === id && (view.current === name || same(view.name, name)),
      ),
  );
  if (next === undefined) return { name: '', current: null };
  return { name: published.find((view) => same(view.name, next))?.name ?? next, current: next };
}
