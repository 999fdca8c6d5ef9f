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

const fieldsKeyOf = (versionId: number): string => `pf.fields.${versionId}`;

/** Notes that the next opening of a version's pivot in this tab shows the fields. */
export const noteFieldsOpen = (versionId: number): void =>
  keep(fieldsKeyOf(versionId), 'open', 'tab');

/** Returns whether this opening of a version's pivot shows the fields; only the first one after the note does. */
export function takeFieldsOpen(versionId: number): boolean {
  const isOpen = kept(fieldsKeyOf(versionId), 'tab') !== null;
  keep(fieldsKeyOf(versionId), null, 'tab');
  return isOpen;
}

/** Returns the address of the version that a current name stands for. */
export const nameLink = (sourceId: number, name: string): string =>
  `/plans/${sourceId}/${encodeURIComponent(name)}`;

const COMMENT = '#comment-';

/** Returns the address that shows a comment in its version's pivot. */
export const commentLink = ({ id, version_id }: { id: number; version_id: number }): string =>
  `${pivotLink(version_id)}${COMMENT}${id}`;

/** Returns the id of the comment that the fragment of an address names; null for another fragment. */
export const commentIn = (hash: string): number | null =>
  hash.startsWith(COMMENT) ? Number(hash.slice(COMMENT.length)) : null;

const REVIEW = '#review-';

/** Returns the address that shows a review in its version's pivot. */
export const reviewLink = ({ id, version_id }: { id: number; version_id: number }): string =>
  `${pivotLink(version_id)}${REVIEW}${id}`;

/** Returns the id of the review that the fragment of an address names; null for another fragment. */
export const reviewIn = (hash: string): number | null =>
  hash.startsWith(REVIEW) ? Number(hash.slice(REVIEW.length)) : null;

const ALERT = '#alert-';

/** Returns the address that lists the groups of an alert in its version's pivot. */
export const alertLink = ({ id, version_id }: { id: number; version_id: number }): string =>
  `${pivotLink(version_id)}${ALERT}${id}`;

/** Returns the id of the alert that the fragment of an address names; null for another fragment. */
export const alertIn = (hash: string): number | null =>
  hash.startsWith(ALERT) ? Number(hash.slice(ALERT.length)) : null;

/** The fragment of an address that opens the dialog to close months. */
export const CLOSE_MONTHS = '#close-months';
