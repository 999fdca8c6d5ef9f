// Runs one command for its parent process, and ends the command when the parent is gone. It notices this by
// the IPC channel, which closes even after SIGKILL. It runs in its own session, so Ctrl-C at the terminal
// reaches only the parent, which then stops its processes in order.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const GRACE = 15_000;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

process.once('message', (/** @type {import('./keep').KeepOptions} */ options) => {
  const { command, args, env, cwd, user, stopSignal, remove } = options;
  const child = spawn(command, args, {
    cwd,
    env,
    ...(user ?? {}),
    stdio: ['ignore', 'inherit', 'inherit'],
  });

  const finish = (/** @type {object} */ ending) => {
    if (remove) rmSync(remove, { recursive: true, force: true, maxRetries: 5 });
    if (!process.connected) process.exit();
    process.send?.(ending, () => process.exit());
  };
  child.once('error', (error) => finish({ failure: error.message }));
  child.once('spawn', () => process.send?.({ pid: child.pid }));
  child.once('exit', (code, signal) => finish({ code, signal }));

  process.once('disconnect', () => {
    child.kill(stopSignal);
    setTimeout(() => child.kill('SIGKILL'), GRACE).unref();
  });
});
