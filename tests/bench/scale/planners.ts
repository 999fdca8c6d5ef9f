import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer, type Server } from '../../../src/demo/server';
import { quantile, timed } from '../measure';
import { call, makeSource, openPlace, send } from '../place';
import { plannedOrders } from '../shapes';
import { cpuSeconds } from '../processes';

/** A number of people on one server. */
export interface Crowd {
  /** Each writes once a minute and has one page open. */
  planners: number;
  /** The planners are spread evenly over this number of versions. */
  versions: number;
}

/** The figures of a server with some people. Times in ms. */
export interface CrowdFigures extends Crowd {
  rows: number;
  writes: number;
  /** Requests of planners and pages with a wrong answer. */
  failures: number;
  /** Time of a write until its answer. */
  write: { median: number; p99: number };
  /** Time of a page from the event of somebody's change until it has the rows. */
  follow: { median: number; p99: number };
  /**
   * Share of one core used by the server, and share of all cores used by everything, including the simulated
   * planners.
   */
  serverBusy: number;
  machineBusy: number;
}

const MINUTE = 60_000;
/** Debounce of a page before it reads the log again, like the real one. */
const LOG_PAUSE = 500;

/** Returns the busy and total CPU seconds of the machine since its start. */
function machineSeconds(): { busy: number; all: number } {
  const [user, nice, system, idle, wait, ...others] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number) as [number, number, number, number, number, ...number[]];
  const busy = user + nice + system + others.slice(0, 3).reduce((sum, each) => sum + each, 0);
  return { busy, all: busy + idle + wait };
}

/** Simulates an open page: it requests the rows of each entry that an event names, then the log. */
async function openPage(
  url: string,
  version: number,
  follows: number[],
  onFailure: () => void,
  signal: AbortSignal,
) {
  const path = `/versions/${version}`;
  const response = await fetch(`${url}/api${path}/events`, { signal });
  if (!response.ok || !response.body) throw new Error(`events: ${response.status}`);
  let waiting: { logid: number; since: number }[] = [];
  let following = Promise.resolve();
  let log: NodeJS.Timeout | undefined;
  const follow = async () => {
    const written = waiting;
    waiting = [];
    if (written.length === 0) return;
    const ids = written.map(({ logid }) => `logid=${logid}`).join('&');
    await send(url, 'GET', `${path}/agg?${ids}`);
    for (const { since } of written) follows.push(performance.now() - since);
    clearTimeout(log);
    log = setTimeout(() => {
      if (!signal.aborted) void send(url, 'GET', `${path}/log`).catch(onFailure);
    }, LOG_PAUSE);
  };
  let text = '';
  const read = async () => {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^event: written$/m.test(block) && /^data: (.*)$/m.exec(block)?.[1];
        if (!data) continue;
        waiting.push({ logid: JSON.parse(data).logid, since: performance.now() });
        following = following.then(follow).catch(onFailure);
      }
    }
  };
  void read().catch(onFailure);
}

async function measureCrowd(
  server: Server,
  versions: readonly number[],
  planners: number,
  minutes: number,
): Promise<Omit<CrowdFigures, 'rows'>> {
  const { url } = server;
  const abort = new AbortController();
  const follows: number[] = [];
  const writes: number[] = [];
  let failures = 0;
  const onFailure = () => {
    if (!abort.signal.aborted) failures += 1;
  };
  const versionOf = (planner: number) => versions[planner % versions.length]!;
  for (let planner = 0; planner < planners; planner += 1) {
    await openPage(url, versionOf(planner), follows, onFailure, abort.signal);
  }
  const until = Date.now() + minutes * MINUTE;
  const before = { server: cpuSeconds(server.pid), machine: machineSeconds() };
  const plan = async (planner: number) => {
    // Evenly over the minute, in another order than the versions.
    await sleep((((planner * 7919) % planners) / planners) * MINUTE);
    for (let turn = 0; Date.now() < until; turn += 1) {
      const began = Date.now();
      const slice = {
        Region: `Region ${(planner + turn) % 20}`,
        Category: `Category ${(planner * 7 + turn) % 100}`,
      };
      const body = { pf_user: `planner ${planner}`, slice, pct: turn % 2 === 0 ? 5 : -4 };
      try {
        writes.push(
          await timed(() => send(url, 'POST', `/versions/${versionOf(planner)}/scale`, body)),
        );
      } catch {
        onFailure();
      }
      await sleep(Math.max(0, Math.min(began + MINUTE, until) - Date.now()));
    }
  };
  await Promise.all(Array.from({ length: planners }, (_, planner) => plan(planner)));
  const after = { server: cpuSeconds(server.pid), machine: machineSeconds() };
  abort.abort();
  const seconds = minutes * 60;
  return {
    planners,
    versions: versions.length,
    writes: writes.length,
    failures,
    write: { median: Math.round(quantile(writes, 0.5)), p99: Math.round(quantile(writes, 0.99)) },
    follow: {
      median: Math.round(quantile(follows, 0.5)),
      p99: Math.round(quantile(follows, 0.99)),
    },
    serverBusy: (after.server - before.server) / seconds,
    machineBusy:
      (after.machine.busy - before.machine.busy) / (after.machine.all - before.machine.all),
  };
}

/** Measures several numbers of people, one after the other, each on new versions with this number of rows. */
export async function measureCrowds(
  crowds: readonly Crowd[],
  rows: number,
  minutes: number,
  onFigures: (figures: CrowdFigures) => void,
): Promise<void> {
  const place = await openPlace();
  const { database } = place;
  const server = await startServer({
    database,
    env: { PF_LOG_LEVEL: 'silent', PF_MEMORY_MB: '2048' },
  });
  try {
    const shape = plannedOrders(rows, { grain: true });
    const { source } = await makeSource(place.client, server.url, shape);
    for (const crowd of crowds) {
      const versions: number[] = [];
      for (let at = 0; at < crowd.versions; at += 1) {
        const { id } = await call(server.url, 'POST', `/sources/${source}/versions`, {
          name: `${crowd.planners} planners, ${at + 1} of ${crowd.versions}`,
        });
        await send(server.url, 'POST', `/versions/${id}/baseline`, { pf_user: 'bench' });
        await send(server.url, 'GET', `/versions/${id}/agg`);
        await send(server.url, 'GET', `/versions/${id}/log`);
        versions.push(id);
      }
      onFigures({ rows, ...(await measureCrowd(server, versions, crowd.planners, minutes)) });
    }
  } finally {
    await server.stop();
    await place.close();
  }
}
