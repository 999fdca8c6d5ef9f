/** Links back to a version's pivot, as this tab showed it last. */
import { keep, kept } from '$lib/client/storage';

const keyOf = (versionId: number): string => `pf.address.${versionId}`;

/** The address of a version's pivot as this tab has shown it last, for the pages beside it. */
export function pivotLink(versionId: number): string {
  const search = kept(keyOf(versionId), 'tab') ?? '';
  return `/versions/${versionId}${search.startsWith('?') ? search : ''}`;
}

/** Notes what a version's pivot shows. @param search the query string of its address */
export const notePivotLink = (versionId: number, search: string): void =>
  keep(keyOf(versionId), search || null, 'tab');
