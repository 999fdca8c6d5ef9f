import { expect, it } from 'vitest';
import { datedChangelog, isNewer } from './release-notes';

const TEXT =
  '# Changelog\n\n## Unreleased\n\n### Added\n\n- This.\n\n## 0.1.0 (2026-01-02)\n\n- That.\n';

it('a release dates the section of unreleased changes and begins an empty one', () => {
  expect(datedChangelog(TEXT, '0.2.0', '2026-03-04')).toBe(
    TEXT.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 (2026-03-04)\n'),
  );
});

it('a release needs changes, and a version that has no section', () => {
  const empty = TEXT.replace('### Added\n\n- This.\n\n', '');
  expect(() => datedChangelog(empty, '0.2.0', '2026-03-04')).toThrow('is empty');
  expect(() => datedChangelog(TEXT, '0.1.0', '2026-03-04')).toThrow('has a section 0.1.0');
  expect(() => datedChangelog('# Changelog\n', '0.2.0', '2026-03-04')).toThrow('no section');
});

it('versions are compared by their numbers', () => {
  expect(isNewer('0.10.0', '0.9.1')).toBe(true);
  expect(isNewer('1.0.0', '0.9.1')).toBe(true);
  expect(isNewer('0.9.1', '0.9.1')).toBe(false);
  expect(isNewer('0.9.0', '0.9.1')).toBe(false);
});
