import { readdirSync, readFileSync } from 'node:fs';

/** What a kind of processes has taken at most, in megabytes. */
export interface Peak {
  /** The largest of the server's processes. */
  server: number;
  /** The largest of PostgreSQL's; what it shares with the others is left out. */
  postgres: number;
}

interface Status {
  parent: number;
  name: string;
  /** Megabytes that are resident, and of these the ones that no file stands behind. */
  resident: number;
  anonymous: number;
}

/** What the system says of a process; undefined if it is gone. */
function statusOf(pid: string): Status | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(text)?.[1] ?? '0';
    return {
      parent: Number(field('PPid')),
      name: field('Name'),
      resident: Number(field('VmRSS')) / 1024,
      anonymous: Number(field('RssAnon')) / 1024,
    };
  } catch {
    return undefined;
  }
}

/**
 * Watches the memory of processes on this machine while some work is done: of the servers, and of the
 * PostgreSQL processes, on whichever node of a cluster they are. Other people's PostgreSQL would count
 * too, so none may be busy.
 *
 * @param servers ids of the servers' processes
 */
export async function watchingMemory<T>(
  servers: readonly number[],
  work: () => Promise<T>,
): Promise<{ result: T; peak: Peak }> {
  const peak: Peak = { server: 0, postgres: 0 };
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const status = statusOf(pid);
      if (!status) continue;
      if (servers.includes(Number(pid))) peak.server = Math.max(peak.server, status.resident);
      if (status.name === 'postgres') peak.postgres = Math.max(peak.postgres, status.anonymous);
    }
  };
  look();
  const timer = setInterval(look, 100);
  try {
    return { result: await work(), peak };
  } finally {
    clearInterval(timer);
  }
}

/** Seconds of CPU that a process has used so far, its ended children included. */
export function cpuSeconds(pid: number): number {
  // What stands in parentheses is the name, which may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const ticks = [11, 12, 13, 14].map((at) => Number(fields[at]));
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}
