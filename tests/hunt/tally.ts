import type { Outcome } from './outcome';

/** Counts how cases end, and tells of failures and of progress as they come. */
export class Tally {
  held = 0;
  failed = 0;
  readonly refused = new Map<string, number>();
  /** How many announcements of each kind were compared. */
  readonly announced = new Map<string, number>();
  /** How many written changes of each kind had all their announcements compared. */
  readonly written = new Map<string, number>();
  /** How many held cases had each of the ways in which pivots have attributes. */
  readonly withLookups = new Map<string, number>();
  /** Refusals of cases that were drawn again. */
  readonly redrawn = new Map<string, number>();
  private played = 0;

  /**
   * @param tell writes a line
   * @param from the first case that counts; those before it are only played
   */
  constructor(
    private readonly tell: (line: string) => void,
    private readonly from = 0,
  ) {}

  add(number: number, outcome: Outcome): void {
    if (number < this.from) return;
    this.played++;
    if (outcome.kind === 'held') this.held++;
    else if (outcome.kind === 'refused') {
      countIn(this.refused, outcome.reason);
    } else {
      this.failed++;
      this.tell(`Case ${number} failed. ${outcome.what}\n  ${outcome.story}`);
    }
    if (this.played % 100 === 0) this.tell(this.counts());
  }

  addRedrawn(reason: string): void {
    countIn(this.redrawn, reason);
  }

  /** Counts the ways in which the pivot of a held case has attributes. */
  countWithLookups(number: number, ways: readonly string[]): void {
    if (number < this.from) return;
    for (const way of ways) countIn(this.withLookups, way);
  }

  countAnnounced(kind: string): void {
    countIn(this.announced, kind);
  }

  countWritten(kind: string): void {
    countIn(this.written, kind);
  }

  /** How many held, how many were refused and why, how many failed. */
  summary(): string {
    const reasons = [...this.refused].sort(([, a], [, b]) => b - a);
    const listed = (title: string, kinds: ReadonlyMap<string, number>) =>
      kinds.size === 0 ? [] : [`${sumOf(kinds)} ${title}:`, ...[...kinds].sort().map(lineOf)];
    return [
      this.counts(),
      ...reasons.map(lineOf),
      ...listed('refused cases drawn again', this.redrawn),
      ...(this.withLookups.size > 0 ? ['held cases with lookups, by way:'] : []),
      ...[...this.withLookups].sort(([, a], [, b]) => b - a).map(lineOf),
      ...listed('announcements compared', this.announced),
      ...listed('kinds of written changes compared', this.written),
    ].join('\n');
  }

  private counts(): string {
    return `${this.played} cases: ${this.held} held, ${sumOf(this.refused)} refused, ${this.failed} failed`;
  }
}

const countIn = (counts: Map<string, number>, kind: string): void => {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
};

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

const lineOf = ([kind, count]: [string, number]): string => `  ${count} × ${kind}`;
