/** Random numbers from a seed: the same seed gives the same numbers on every machine. */
export class Random {
  private state: number;

  constructor(...seed: readonly (string | number)[]) {
    this.state = hash(seed.join('/'));
  }

  /** Returns other numbers from the present state, and leaves its own as they are. */
  fork(...seed: readonly (string | number)[]): Random {
    return new Random(this.state, ...seed);
  }

  /** Returns a number from 0 to 1, without 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns a random member of a list. @throws Error if the list is empty */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('There is nothing to draw from');
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** Returns `count` different members of a list in random order; all of them if it has fewer. */
  sample<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0) {
      taken.push(...rest.splice(Math.floor(this.next() * rest.length), 1));
    }
    return taken;
  }
}

/** FNV-1a over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value;
}
