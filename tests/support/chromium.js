import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The headless shell comes first: it lacks the browser's own pages, which use up to half a core. */
export const HEADLESS_SHELL = 'chromium-headless-shell';
const NAMES = [
  HEADLESS_SHELL,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * Returns the path of Chromium: the variable CHROMIUM, or the first one on the PATH. Undefined if there is
 * none; Playwright then uses its own download, if any.
 * @returns {string | undefined}
 */
export function installedChromium() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const candidates = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [process.env.CHROMIUM, ...candidates, MAC].find((path) => path && existsSync(path));
}

/** The arguments of every Chromium of a test; some stop it from contacting other servers. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
