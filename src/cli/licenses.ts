import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './prepare.js';
import { thirdParty } from './third-party';

const FILE = 'THIRD_PARTY_LICENSES';

try {
  writeFileSync(join(PROJECT, FILE), thirdParty());
  console.log(`wrote ${FILE}`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
