import type { Outcome } from './visit';

/** Counts how cases end, and tells of failures and of progress as they come. */
export class Tally {
  held = 0;
  failed = 0;
  readonly refused = new Map<string, number>();
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

  /** How many held, how many were refused and why, how many failed. */
  summary(): string {
    const reasons = [...this.refused].sort(([, a], [, b]) => b - a);
    return [this.counts(), ...reasons.map(([reason, count]) => `  ${count} × ${reason}`)].join(
      '\n',
    );
  }

  private counts(): string {
    const refused = [...this.refused.values()].reduce((sum, count) => sum + count, 0);
    return `${this.played} cases: ${this.held} held, ${refused} refused, ${this.failed} failed`;
  }
}
