/** A process that repeatedly asks a server whether it is alive, and reports the times. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile } from '../measure';

const EVERY_MS = 5;

/**
 * Returns the duration of other requests during some work.
 *
 * @returns the 99th percentile, in milliseconds
 */
export async function othersDuring(url: string, work: () => Promise<unknown>): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), [url]);
  try {
    await once(child, 'message');
    await work();
    child.send('enough');
    const [times] = (await once(child, 'message')) as [number[]];
    return quantile(times, 0.99);
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

async function ask(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let wanted = true;
  process.on('message', () => (wanted = false));
  process.on('disconnect', () => process.exit());
  const asked = async () => {
    const start = performance.now();
    const [response] = await once(get(`${url}/api/health/live`, { agent }), 'response');
    await once(response.resume(), 'end');
    return performance.now() - start;
  };
  for (let warm = 0; warm < 50; warm += 1) await asked();
  process.send?.('ready');
  while (wanted) {
    times.push(await asked());
    await sleep(EVERY_MS);
  }
  process.send?.(times);
}

const [first] = process.argv.slice(2);
if (process.send && first?.startsWith('http://')) await ask(first);
