import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A user and group to run a command as; only root can ask for one. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/** A command that runs as long as this process. */
export interface KeepOptions {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  user?: SystemUser;
  /** The signal that asks the command to end. */
  stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGQUIT';
  /** A folder to delete once the command has ended. */
  remove?: string;
}

export interface Ending {
  /** Exit code; null if a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface KeptProcess {
  pid: number;
  /** The last million characters that it wrote to stdout and stderr so far. */
  output(): string;
  /** Resolves when the command ends, by itself or because it was stopped. */
  ended: Promise<Ending>;
  /** Asks the command to end, forces it after 15 seconds, and resolves when all its processes are gone. */
  stop(): Promise<void>;
}

const OUTPUT_KEPT = 1_000_000;

type Message = { pid: number } | { failure: string } | Ending;

/**
 * Runs a command that ends together with this process, even if this process is killed.
 * @throws if the command cannot be started
 */
export async function keep(options: KeepOptions): Promise<KeptProcess> {
  const keeper = fork(fileURLToPath(new URL('./keeper.js', import.meta.url)), {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [keeper.stdout, keeper.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_KEPT);
    });

  // The process's 'close' event is not used: Node omits it if this side disconnects first.
  const gone = Promise.all([
    once(keeper, 'exit'),
    ...[keeper.stdout, keeper.stderr].map((stream) => stream && once(stream, 'close')),
  ]);
  const pid = await new Promise<number>((resolve, reject) => {
    keeper.on('message', (message: Message) => {
      if ('pid' in message) resolve(message.pid);
      if ('failure' in message) reject(new Error(`${options.command}: ${message.failure}`));
    });
    keeper.once('error', reject);
    keeper.send(options);
  });
  const ended = new Promise<Ending>((resolve) => {
    keeper.on('message', (message: Message) => {
      if ('code' in message) resolve(message);
    });
    void gone.then(() => resolve({ code: null, signal: null }));
  });

  return {
    pid,
    output: () => output,
    ended,
    stop: async () => {
      if (keeper.connected) keeper.disconnect();
      await gone;
    },
  };
}

/**
 * Waits until a kept process is ready for work.
 *
 * @param name name of the process in an error
 * @param isReady called repeatedly
 * @throws with the output of the process if it ends instead
 */
export async function whenReady(
  { ended, output }: KeptProcess,
  name: string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  let isEnded = false;
  void ended.then(() => (isEnded = true));
  for (;;) {
    if (isEnded) throw new Error(`${name} did not start:\n${output()}`);
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
