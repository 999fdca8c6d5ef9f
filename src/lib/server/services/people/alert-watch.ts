/** Evaluates the alerts of versions after their commits (docs/contract/25-alerts.md). */
import type { VersionEvent } from '../../../contract/events';
import type { Listener, Listening } from '../../db/connection/listener';
import type { Told } from '../../db/connection/notify';
import type { Database } from '../../db/database';
import { listAlerts, versionsWithAlerts } from '../../db/people/alerts';
import { AppError } from '../../errors';
import { evaluateAlert } from './alert-evaluation';

/** The advisory lock of the process that evaluates. Any number will do that nothing else uses. */
const LOCK = 7_310_013_018;

/** How long the commits of a version are gathered before its alerts are evaluated, in milliseconds. */
const GATHERED = 100;
/** The shortest and longest time until a failed evaluation is tried again, in milliseconds. */
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 600_000;

/**
 * Evaluates the alerts of each version soon after its commits. Of all processes on a database only one does so: the one
 * whose listener holds an advisory lock. Another one that takes over evaluates all alerts, so no commit is missed.
 */
export class AlertWatch implements Listening {
  private readonly listener: Listener;
  private readonly waiting = new Map<number, NodeJS.Timeout>();
  private readonly failures = new Map<number, number>();
  private work: Promise<void> = Promise.resolve();
  private isEnding = false;

  /**
   * @param listen opens the connection that reports events, to one process at a time
   * @param failed an error keeps the alerts of a version from being evaluated for now; without a version, from being
   * looked for
   */
  constructor(
    private readonly db: Database,
    listen: (listening: Listening, lock: number) => Listener,
    private readonly failed: (error: unknown, versionId?: number) => void,
  ) {
    this.listener = listen(this, LOCK);
  }

  /** Starts listening. */
  start(): Promise<void> {
    return this.listener.start();
  }

  told({ version, event }: Told): void {
    if (mayChangeAlerts(event)) this.lookIn(version, GATHERED);
  }

  missed(): void {
    void versionsWithAlerts(this.db).then(
      (versions) => {
        for (const version of versions) this.lookIn(version, GATHERED);
      },
      (error: unknown) => this.isEnding || this.failed(error),
    );
  }

  silent(): void {
    // Whoever listens next evaluates everything.
  }

  /** Stops for good; the next process to evaluate begins with all alerts. */
  end(): void {
    this.isEnding = true;
    this.listener.end();
    for (const timer of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  /** Evaluates the alerts of a version after some time. Commits in the meantime need no other evaluation. */
  private lookIn(versionId: number, milliseconds: number): void {
    if (this.isEnding || this.waiting.has(versionId)) return;
    const timer = setTimeout(() => {
      // One at a time: an evaluation reads all rows of its version.
      this.work = this.work.then(() => {
        this.waiting.delete(versionId);
        return this.look(versionId);
      });
    }, milliseconds);
    this.waiting.set(versionId, timer.unref());
  }

  private async look(versionId: number): Promise<void> {
    if (this.isEnding) return;
    try {
      for (const { id } of await listAlerts(this.db, versionId)) await evaluateAlert(this.db, id);
      this.failures.delete(versionId);
    } catch (error) {
      // The version was deleted meanwhile.
      if (this.isEnding || (error instanceof AppError && error.status === 404)) return;
      this.failed(error, versionId);
      const times = this.failures.get(versionId) ?? 0;
      this.failures.set(versionId, times + 1);
      this.lookIn(versionId, Math.min(SHORTEST_PAUSE * 2 ** Math.min(times, 20), LONGEST_PAUSE));
    }
  }
}

/** Whether an event may change for which groups the alerts of its version hold. */
function mayChangeAlerts(event: VersionEvent): boolean {
  switch (event.kind) {
    case 'written':
    case 'undone':
    case 'cleared':
    case 'resync':
      return true;
    case 'status':
      return event.excluded !== undefined;
    case 'alert':
      // An evaluation that told something needs no other one.
      return event.began === undefined && event.ended === undefined;
    default:
      return false;
  }
}
