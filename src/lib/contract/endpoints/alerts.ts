/** Endpoints of alerts. */
import {
  Alert,
  AlertGroupsAnswer,
  AlertRequest,
  AlertsAnswer,
  DeleteAlertRequest,
  EditAlertRequest,
  MOST_HELD,
  OwnAlertsAnswer,
} from '../alerts';
import { text } from '../primitives';

import { created, type Endpoints, json, nothing, wholeNumber } from './endpoint';

export const ALERT_ENDPOINTS = {
  'GET /versions/{id}/alerts': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The alerts of a version, and for how many groups each holds',
    answer: json(AlertsAnswer),
  },
  'POST /versions/{id}/alerts': {
    role: 'planner',
    territories: 'judged',
    summary: 'Make an alert; on a closed version too',
    request: AlertRequest,
    takesKey: true,
    answer: created(Alert),
    refusals: [409],
  },
  'PATCH /alerts/{id}': {
    role: 'planner',
    territories: 'judged',
    summary: 'Change an alert',
    request: EditAlertRequest,
    answer: json(Alert),
    refusals: [403, 409],
  },
  'DELETE /alerts/{id}': {
    role: 'planner',
    territories: 'judged',
    summary: 'Delete an alert',
    request: DeleteAlertRequest,
    answer: nothing,
    refusals: [403],
  },
  'GET /alerts/{id}/groups': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The groups for which an alert holds, and those for which it has ended, newest first',
    query: {
      offset: {
        schema: wholeNumber(0, 2 * MOST_HELD),
        description: 'How many groups are left out at the beginning; 0 by default',
      },
    },
    answer: json(AlertGroupsAnswer),
  },
  'GET /alerts/own': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The alerts of a user that hold or have ended lately, the last changed first',
    query: {
      user: {
        schema: text,
        description: 'The owner. Ignored if people are signed in: then the sender',
      },
    },
    answer: json(OwnAlertsAnswer),
  },
} satisfies Endpoints;
