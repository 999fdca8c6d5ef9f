/** The name that the dialog of publishing offers. */
import type { Published } from '$lib/contract/published';

/**
 * Returns the name of the next view to publish, and the current name that it follows. It is the first current name
 * of the version without a view: no view of the version follows it or has its name. Names are compared without
 * regard to case, so a view of another version is offered as it is written, and moves instead of getting a twin.
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
