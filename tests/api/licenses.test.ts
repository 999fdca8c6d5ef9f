import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { thirdParty } from '../../src/cli/third-party';

// If this fails after a change of dependencies, run `npm run licenses` on a fresh build.
it('THIRD_PARTY_LICENSES lists everything that ships, and nothing with a forbidden licence ships', () => {
  const listed = readFileSync(join(PROJECT, 'THIRD_PARTY_LICENSES'), 'utf8');
  expect(listed).toBe(thirdParty());
  for (const name of ['pg', 'svelte', '@finos/perspective', '@fontsource-variable/inter']) {
    expect(listed).toMatch(new RegExp(`^${name} \\d`, 'm'));
  }
});
