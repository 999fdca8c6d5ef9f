import { readdirSync, readFileSync } from 'node:fs';

/** Peak memory by kind of process, in MB. */
export interface Peak {
  /** The largest server process. */
  server: number;
  /** The largest PostgreSQL process, without shared memory. */
  postgres: number;
}

interface Status {
  parent: number;
  name: string;
  /** Resident megabytes, and those of them without a file. */
  resident: number;
  anonymous: number;
}

/** Returns the status of a process; undefined if it has ended. */
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
 * Records the peak memory of processes on this machine during some work: of the servers, and of the
 * PostgreSQL processes on every node of a cluster. Other PostgreSQL processes would count too, so none may be
 * busy.
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

/** Returns the CPU time of a process so far in seconds, including its ended children. */
export function cpuSeconds(pid: number): number {
  // The name in parentheses may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const ticks = [11, 12, 13, 14].map((at) => Number(fields[at]));
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}
