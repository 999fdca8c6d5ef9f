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
const LONGEST_PAUSE = 60_000;
/** The time until a failed search for all alerts is tried again, in milliseconds. */
const TAKEOVER_PAUSE = 5_000;
/** How many versions are evaluated at a time, so that a slow one delays no other. */
const AT_A_TIME = 3;

/**
 * Evaluates the alerts of each version soon after its commits. Of all processes on a database only one does so: the one
 * whose listener holds an advisory lock. Another one that takes over evaluates all alerts, so no commit is missed.
 */
export class AlertWatch implements Listening {
  private readonly listener: Listener;
  private readonly waiting = new Map<number, NodeJS.Timeout>();
  /** The versions to evaluate as soon as fewer are evaluated, in order. */
  private readonly due = new Set<number>();
  private readonly running = new Set<number>();
  private readonly failures = new Map<number, number>();
  private takeover: NodeJS.Timeout | undefined;
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
      (error: unknown) => {
        if (this.isEnding) return;
        this.failed(error);
        clearTimeout(this.takeover);
        this.takeover = setTimeout(() => this.missed(), TAKEOVER_PAUSE).unref();
      },
    );
  }

  silent(): void {
    // Whoever listens next evaluates everything.
  }

  /** Stops for good; the next process to evaluate begins with all alerts. */
  end(): void {
    this.isEnding = true;
    this.listener.end();
    clearTimeout(this.takeover);
    for (const timer of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
    this.due.clear();
  }

  /** Evaluates the alerts of a version after some time. Commits in the meantime need no other evaluation. */
  private lookIn(versionId: number, milliseconds: number): void {
    if (this.isEnding || this.waiting.has(versionId)) return;
    const timer = setTimeout(() => {
      this.waiting.delete(versionId);
      this.due.add(versionId);
      this.next();
    }, milliseconds);
    this.waiting.set(versionId, timer.unref());
  }

  /** Begins evaluations: one at a time of each version, since it reads all rows, and of some versions at a time. */
  private next(): void {
    for (const version of this.due) {
      if (this.running.size >= AT_A_TIME) return;
      if (this.running.has(version)) continue;
      this.due.delete(version);
      this.running.add(version);
      void this.look(version).finally(() => {
        this.running.delete(version);
        this.next();
      });
    }
  }

  /** Evaluates the alerts of a version. One that fails keeps no other from its evaluation. */
  private async look(versionId: number): Promise<void> {
    const failures: unknown[] = [];
    const note = (error: unknown) => {
      // The version was deleted meanwhile.
      if (!(error instanceof AppError && error.status === 404)) failures.push(error);
    };
    try {
      for (const { id } of await listAlerts(this.db, versionId)) {
        if (this.isEnding) return;
        await evaluateAlert(this.db, id).catch(note);
      }
    } catch (error) {
      note(error);
    }
    if (this.isEnding) return;
    if (failures.length === 0) {
      this.failures.delete(versionId);
      return;
    }
    this.failed(failures[0], versionId);
    const times = this.failures.get(versionId) ?? 0;
    this.failures.set(versionId, times + 1);
    this.lookIn(versionId, Math.min(SHORTEST_PAUSE * 2 ** Math.min(times, 20), LONGEST_PAUSE));
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
      return event.pending === true;
    default:
      return false;
  }
}
