// `npm run demo`. It is plain JavaScript, because it runs before anything is installed or built.
import { createServer } from 'node:net';
import { isBuilt, isInstalled, nodeIsRecent, npm } from './prepare.js';

const DEFAULT_PORT = 3010;

/** @param {string} message */
function giveUp(message) {
  console.error(message);
  process.exit(1);
}

/**
 * @param {number} port
 * @returns {Promise<string | undefined>} why nothing can listen there
 */
function obstacle(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve(
        error.code === 'EADDRINUSE'
          ? `Port ${port} is in use: stop what listens there, or choose another one with PORT=4000 npm run demo`
          : `Port ${port} cannot be used: ${error.message}`,
      ),
    );
    probe.listen(port, '0.0.0.0', () => probe.close(() => resolve(undefined)));
  });
}

/**
 * @param {string} what
 * @param {string[]} command of npm
 */
function prepare(what, command) {
  console.log(`${what} …`);
  const { ok, output } = npm(command);
  if (!ok) giveUp(`${output}\nThat failed: npm ${command.join(' ')}`);
}

if (!nodeIsRecent()) giveUp(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);
const port = Number(process.env.PORT || DEFAULT_PORT);
if (!Number.isInteger(port) || port < 1 || port > 65535)
  giveUp(`PORT must be a port from 1 to 65535, not "${process.env.PORT}"`);
const taken = await obstacle(port);
if (taken) giveUp(taken);

if (!isInstalled()) prepare('Installing packages, which takes a minute or two', ['ci']);
if (!isBuilt()) prepare('Building', ['run', 'build']);

const { register } = await import('tsx/esm/api');
register();
const { runDemo } = await import('../demo/run');
await runDemo(port).catch((/** @type {Error} */ error) => giveUp(error.message));
