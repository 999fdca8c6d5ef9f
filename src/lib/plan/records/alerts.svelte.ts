/** The alerts of the version on the page. */
import * as api from '../../client/api';
import { Latest } from '../../client/latest.svelte';
import type { Alert, AlertGroupsAnswer } from '../../contract/alerts';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { FollowedList } from './followed-list.svelte';

/** The version's alerts, as the service last returned them (docs/contract/25-alerts.md). */
export class Alerts extends FollowedList<Alert> {
  /** Whether the page lists the alerts. */
  isListed = $state(false);
  /** The alert whose groups are listed; null for none. */
  opened = $state.raw<Alert | null>(null);
  /** The groups of the opened alert. */
  readonly groups = new Latest<AlertGroupsAnswer>();
  /** The number of groups for which alerts hold. */
  readonly holding: number = $derived(this.all.reduce((sum, { holding }) => sum + holding, 0));

  constructor(planned: Pick<PlannedVersion, 'id'>) {
    super(
      (signal) => api.call('GET /versions/{id}/alerts', { id: planned.id, signal }),
      () => this.readGroups(),
    );
  }

  /** Lists the groups of an alert, or of none. */
  show(alert: Alert | null): void {
    this.opened = alert;
    this.readGroups();
  }

  /** Reads the alerts again after an event, and the groups of the opened one, whose amounts may have changed. */
  override async follow(): Promise<void> {
    await super.follow();
    this.readGroups();
  }

  private readGroups(): void {
    const alert = this.all.find(({ id }) => id === this.opened?.id);
    this.opened = alert ?? null;
    if (!alert) return this.groups.clear();
    const { id } = alert;
    this.groups.ask((signal) => api.call('GET /alerts/{id}/groups', { id, signal }));
  }
}
