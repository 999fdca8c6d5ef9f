/** Counts refused requests, so that a flood of them does not fill the database. */
import type { RefusedRequests } from './db/log/audit';

/** Interval in which the counts are recorded, in milliseconds. */
const INTERVAL_MILLISECONDS = 60_000;

/** The largest number of rows for kinds of refused requests in one interval. Others are counted together. */
const MOST_KINDS = 100;

/** The largest length of a path that is recorded, in characters. */
const LONGEST_PATH = 200;

/** A refused request. */
interface Refused {
  user: string | null;
  method: string;
  /** The path of the endpoint, such as `/versions/{id}`. Requests of one person for one endpoint are alike. */
  endpoint: string;
  /** The path of the request, such as `/versions/7`. */
  path: string;
  /** The parameter `id` of the path. */
  id: string | undefined;
  status: number;
}

const OTHERS = 'other requests';

/** Counts the refused requests of this process by minute, person, endpoint and status. */
export class Refusals {
  private counts = new Map<string, RefusedRequests>();
  /** How many kinds can still be counted by themselves in this interval, also after the counts were recorded. */
  private room = MOST_KINDS;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param record stores the counts; after a failure they are recorded with the next ones
   * @param failed called with the error of a failure
   */
  constructor(
    private readonly record: (refused: readonly RefusedRequests[]) => Promise<unknown>,
    failed: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => {
      this.room = MOST_KINDS;
      void this.flush().catch(failed);
    }, INTERVAL_MILLISECONDS).unref();
  }

  /** Counts a request. */
  note(refused: Refused): void {
    const { user, method, endpoint, status } = refused;
    const own = JSON.stringify([user, method, endpoint, status]);
    const key = this.counts.has(own) || this.room > 0 ? own : OTHERS;
    const counted = this.counts.get(key);
    if (counted) counted.count += 1;
    else if (key === OTHERS) this.counts.set(key, { ...first(refused), ...TOGETHER });
    else {
      this.room -= 1;
      this.counts.set(key, first(refused));
    }
  }

  /** Records the counts. @throws the error of the database */
  async flush(): Promise<void> {
    const { counts } = this;
    if (counts.size === 0) return;
    this.counts = new Map();
    try {
      await this.record([...counts.values()]);
    } catch (error) {
      for (const [key, refused] of counts) {
        const newer = this.counts.get(key);
        this.counts.set(key, { ...refused, count: refused.count + (newer?.count ?? 0) });
      }
      throw error;
    }
  }

  /** Stops the timer and records the remaining counts. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}

/** The fields of requests that are counted together although they differ. */
const TOGETHER = { pf_user: null, source_id: null, version_id: null, request: OTHERS };

function first({ user, method, endpoint, path, id, status }: Refused): RefusedRequests {
  const number = /^\d{1,9}$/.test(id ?? '') ? Number(id) : null;
  return {
    stamp: new Date().toISOString(),
    pf_user: user,
    source_id: endpoint.startsWith('/sources/{id}') ? number : null,
    version_id: endpoint.startsWith('/versions/{id}') ? number : null,
    request: `${method} ${path.slice(0, LONGEST_PATH)}`,
    status,
    count: 1,
  };
}
