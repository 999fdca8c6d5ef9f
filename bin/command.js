// `npm run migrate`, `npm run periods`, `npm run schema:dump`: runs a command that the build made
// (see svelte.config.js). usage: node bin/command.js <name> [arguments]
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [name] = process.argv.splice(2, 1);
const command = new URL(`../build/cli/${name}.js`, import.meta.url);

if (!existsSync(fileURLToPath(command))) {
  // On stderr, as stdout belongs to the command.
  console.error('Nothing is built yet. Building, which takes a minute …');
  const { npm } = await import('../src/cli/prepare.js');
  const { ok, output } = npm(['run', 'build']);
  if (!ok) {
    console.error(`${output}\nThat failed. Run npm ci, then npm run build.`);
    process.exit(1);
  }
}
await import(command.href);
