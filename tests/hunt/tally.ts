import type { Outcome } from './outcome';

/** Counts how cases end, and tells of failures and of progress as they come. */
export class Tally {
  held = 0;
  failed = 0;
  readonly refused = new Map<string, number>();
  /** How many announcements of each kind were compared. */
  readonly announced = new Map<string, number>();
  private played = 0;

  /** @param tell writes a line */
  constructor(private readonly tell: (line: string) => void) {}

  add(number: number, outcome: Outcome): void {
    this.played++;
    if (outcome.kind === 'held') this.held++;
    else if (outcome.kind === 'refused') {
      this.refused.set(outcome.reason, (this.refused.get(outcome.reason) ?? 0) + 1);
    } else {
      this.failed++;
      this.tell(`Case ${number} failed. ${outcome.what}\n  ${outcome.story}`);
    }
    if (this.played % 100 === 0) this.tell(this.counts());
  }

  /** Counts an announcement that was compared. */
  count(kind: string): void {
    this.announced.set(kind, (this.announced.get(kind) ?? 0) + 1);
  }

  /** How many held, how many were refused and why, how many failed. */
  summary(): string {
    const reasons = [...this.refused].sort(([, a], [, b]) => b - a);
    const kinds = [...this.announced].sort(([one], [other]) => one.localeCompare(other));
    const all = kinds.reduce((sum, [, count]) => sum + count, 0);
    return [
      this.counts(),
      ...reasons.map(([reason, count]) => `  ${count} × ${reason}`),
      ...(all > 0 ? [`${all} announcements compared:`] : []),
      ...kinds.map(([kind, count]) => `  ${count} × ${kind}`),
    ].join('\n');
  }

  private counts(): string {
    const refused = [...this.refused.values()].reduce((sum, count) => sum + count, 0);
    return `${this.played} cases: ${this.held} held, ${refused} refused, ${this.failed} failed`;
  }
}
