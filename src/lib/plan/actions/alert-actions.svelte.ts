/** What a user does with alerts, each action with its report or error. */
import * as api from '../../client/api';
import { user } from '../../client/user.svelte';
import type { Alert, AlertGroup, AlertRequest } from '../../contract/alerts';
import type { Slice } from '../../contract/slices';
import { asSeen, insidePart } from '../version/own-part';
import type { PlanSession } from '../session.svelte';
import type { Tell } from '../tell';
import type { Reports } from './reports';
import { showSlice } from './show-slice';

/** What the dialog of alerts begins with: an alert that it changes, or the first terms of another one. */
export type BegunAlert = Alert | Partial<Pick<Alert, 'measure' | 'of' | 'condition'>>;

/** An alert as its dialog has it. */
export type AlertTerms = Required<Omit<AlertRequest, 'pf_user' | 'owner' | 'slice'>> & {
  owner: string;
  slice: Slice;
};

/** The actions on alerts. None throws but {@link save}. */
export class AlertActions {
  /** What the dialog makes or changes; null while it is closed. */
  edited = $state.raw<BegunAlert | null>(null);

  constructor(
    private readonly session: Pick<PlanSession, 'pivot' | 'planned' | 'alerts' | 'selection'>,
    private readonly reports: Reports,
    private readonly tell: Tell,
  ) {}

  /** Makes or changes the alert of the dialog, and closes it. Does nothing without a name. @throws the refusal */
  async save(terms: AlertTerms): Promise<void> {
    const { edited } = this;
    const pf_user = await user.require();
    if (pf_user === null || !edited) return;
    const { id, source } = this.session.planned;
    if ('id' in edited) {
      await api.call('PATCH /alerts/{id}', { id: edited.id, body: { ...terms, pf_user } });
    } else {
      const slice = insidePart(source, terms.slice);
      await api.write('POST /versions/{id}/alerts', { id, body: { ...terms, slice, pf_user } });
    }
    this.edited = null;
    await this.session.alerts.read();
    this.tell.done('id' in edited ? 'The alert is changed.' : 'The alert is made.');
  }

  /** Deletes an alert. */
  remove({ id }: Alert): Promise<void> {
    return this.reports.named(async (pf_user) => {
      await api.call('DELETE /alerts/{id}', { id, body: { pf_user } });
      await this.session.alerts.read();
      this.tell.done('The alert is deleted.');
    });
  }

  /** Selects the rows of a group. */
  show({ slice }: AlertGroup): Promise<void> {
    return showSlice(this.session, asSeen(this.session.planned.source, slice));
  }
}
