/** Handlers of alerts. */
import type { ALERT_ENDPOINTS } from '../../contract/endpoints/alerts';
import {
  addAlert,
  alertGroups,
  alerts,
  editAlert,
  ownAlerts,
  removeAlert,
} from '../services/people/alerts';
import { personOf } from '../services/people/reviews';
import { type Handlers, userOf } from './asked';

export const alertHandlers: Handlers<typeof ALERT_ENDPOINTS> = {
  'GET /versions/{id}/alerts': ({ db, id }) => alerts(db, id),
  'POST /versions/{id}/alerts': ({ locals, id, body, key }) => addAlert(locals, id, body, key),
  'PATCH /alerts/{id}': ({ locals, db, id, body }) =>
    editAlert(db, id, body, personOf(locals.me, body)),
  'DELETE /alerts/{id}': ({ locals, db, id, body }) =>
    removeAlert(db, id, personOf(locals.me, body)),
  'GET /alerts/{id}/groups': ({ db, id, query }) => alertGroups(db, id, query.offset),
  'GET /alerts/own': ({ locals, db, query }) => ownAlerts(db, userOf(locals, query.user)),
};
