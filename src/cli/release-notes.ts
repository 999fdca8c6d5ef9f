/** Changes the changelog for a release. */

const HEADING = '## Unreleased\n';

/** Whether a version, such as 1.10.0, is greater than another one. */
export function isNewer(version: string, than: string): boolean {
  const [found = [], old = []] = [version, than].map((text) => text.split('.').map(Number));
  const at = found.findIndex((number, i) => number !== old[i]);
  return at >= 0 && (found[at] ?? 0) > (old[at] ?? 0);
}

/** Whether the changelog has a dated section of a version. */
export const hasSection = (text: string, version: string): boolean =>
  text.includes(`\n## ${version} (`);

/**
 * Gives the section of unreleased changes the version and the day, and puts an empty one above it.
 *
 * @param day as 2027-03-31
 * @throws Error if there is no such section, if it is empty, or if the version has one
 */
export function datedChangelog(text: string, version: string, day: string): string {
  const [before, after] = text.split(HEADING);
  if (before === undefined || after === undefined) {
    throw new Error('The changelog has no section "Unreleased"');
  }
  const [section = ''] = after.split(/^## /m);
  if (section.trim() === '') throw new Error('The section "Unreleased" of the changelog is empty');
  if (hasSection(text, version)) throw new Error(`The changelog has a section ${version}`);
  return `${before}${HEADING}\n## ${version} (${day})\n${after}`;
}
