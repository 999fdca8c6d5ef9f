/** The events of one round of the soak. The same seed and number give the same round. */
export interface Round {
  number: number;
  /** Each writer makes its writes in sequence. The writers run concurrently. */
  writers: Write[][];
  readers: Read[][];
  /** Ordered by time. */
  faults: Fault[];
}

/** One of the two servers. */
export type Which = 0 | 1;

export const WRITES = [
  'baseline',
  'reference',
  'scale',
  'recode',
  'clone',
  'undo',
  'replace',
  'clear',
  'close',
  'open',
] as const;

export interface Write {
  kind: (typeof WRITES)[number];
  server: Which;
  /** Index of the version. */
  version: number;
  region: string;
  /** Cents; never 0. */
  amount: number;
  units: number;
  /** From 0 to 1: selects one of the entries that can be undone or replaced. */
  pick: number;
  /** Milliseconds before the write. */
  pause: number;
}

export interface Read {
  /**
   * - `slow` reads the head of a large answer and the rest later; `leaves` disconnects instead
   * - `file` previews a workbook and replaces the rows of a table by it; `file leaves` disconnects meanwhile
   */
  kind: 'data' | 'agg' | 'log' | 'slow' | 'leaves' | 'file' | 'file leaves';
  server: Which;
  version: number;
  pause: number;
}

export interface Fault {
  /**
   * - `kill`: SIGKILL, and a new server after `last`
   * - `stop`: SIGTERM, and a new server once it has ended
   * - `freeze`: SIGSTOP, and SIGCONT after `last`
   * - `disconnect`: PostgreSQL ends some of the connections
   */
  kind: 'kill' | 'stop' | 'freeze' | 'disconnect';
  server: Which;
  /** Milliseconds from the beginning of the round. */
  at: number;
  last: number;
}

/** The dimensions of a round. */
export interface Size {
  versions: number;
  regions: readonly string[];
  writers: number;
  readers: number;
  /** Milliseconds over which its faults are spread. */
  length: number;
}

/** Weights of the kinds: writes that add rows are more frequent than writes that delete them. */
const WRITE_WEIGHTS: Record<Write['kind'], number> = {
  baseline: 4,
  reference: 2,
  scale: 8,
  recode: 5,
  clone: 4,
  undo: 6,
  replace: 3,
  clear: 1,
  close: 1,
  open: 2,
};

const READ_WEIGHTS: Record<Read['kind'], number> = {
  ...{ data: 4, agg: 2, log: 3, slow: 3, leaves: 2 },
  ...{ file: 2, 'file leaves': 2 },
};
const FAULT_WEIGHTS: Record<Fault['kind'], number> = { kill: 3, stop: 1, freeze: 2, disconnect: 3 };

/** Every fourth round has no fault, so that no failure is excused. */
const QUIET_ROUND = 4;

export function planRound(seed: number, number: number, size: Size): Round {
  const draw = random(seed * 10_007 + number);
  const below = (n: number) => Math.floor(draw() * n);
  const which = (): Which => (draw() < 0.5 ? 0 : 1);
  const weighted = <K extends string>(weights: Record<K, number>): K => {
    const all = Object.entries(weights) as [K, number][];
    let left = draw() * all.reduce((sum, [, weight]) => sum + weight, 0);
    return (all.find(([, weight]) => (left -= weight) < 0) ?? all[0]!)[0];
  };
  const many = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);

  const writers = many(size.writers, () =>
    many(8 + below(8), (): Write => {
      const kind = weighted(WRITE_WEIGHTS);
      return {
        kind,
        server: which(),
        // The last version has only loads, so that segments can be replaced.
        version: ['replace', 'clear'].includes(kind) ? size.versions - 1 : below(size.versions - 1),
        region: size.regions[below(size.regions.length)]!,
        amount: (1 + below(1_000_000)) * (draw() < 0.3 ? -1 : 1),
        units: 1 + below(1000),
        pick: draw(),
        pause: below(200),
      };
    }).map((write) =>
      // Most loads go to the last version, which needs some to replace.
      write.kind === 'baseline' && write.pick < 0.6
        ? { ...write, version: size.versions - 1 }
        : write,
    ),
  );
  const readers = many(size.readers, () =>
    many(6 + below(6), (): Read => ({
      kind: weighted(READ_WEIGHTS),
      server: which(),
      version: below(size.versions),
      pause: below(400),
    })),
  );
  const faults =
    number % QUIET_ROUND === 0
      ? []
      : many(1 + below(4), (): Fault => ({
          kind: weighted(FAULT_WEIGHTS),
          server: which(),
          at: below(size.length),
          last: 500 + below(3000),
        })).sort((a, b) => a.at - b.at);
  return { number, writers, readers, faults };
}

/** Random numbers from 0 to 1 that depend on a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
