/** Links back to the pivot of a version, in its last state in this tab. */
import { keep, kept } from '$lib/client/storage';

const keyOf = (versionId: number): string => `pf.address.${versionId}`;

/** Returns the last address of a version's pivot in this tab, for links from other pages. */
export function pivotLink(versionId: number): string {
  const search = kept(keyOf(versionId), 'tab') ?? '';
  return `/versions/${versionId}${search.startsWith('?') ? search : ''}`;
}

/** Stores the address of a version's pivot. @param search its query string */
export const notePivotLink = (versionId: number, search: string): void =>
  keep(keyOf(versionId), search || null, 'tab');

/** The fragment of an address that opens the dialog to close months. */
export const CLOSE_MONTHS = '#close-months';
