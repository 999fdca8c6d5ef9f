/** Endpoints of versions, their copies and replays. */
import { ReplayAnswer, ReplayedAnswer, ReplayVersionRequest } from '../replays';
import { CloseVersionRequest, CopyVersionRequest, EditVersionRequest, Version } from '../versions';

import { created, type Endpoints, json, nothing } from './endpoint';

export const VERSION_ENDPOINTS = {
  'GET /versions/{id}': {
    role: 'reader',
    territories: 'none',
    summary: 'One version',
    answer: json(Version),
  },
  'PATCH /versions/{id}': {
    role: 'planner',
    territories: 'refused',
    because: 'its name and its settings are those of everybody who plans in it',
    summary: 'Change name, description or excluded origins',
    request: EditVersionRequest,
    answer: json(Version),
    refusals: [403, 409],
  },
  'DELETE /versions/{id}': {
    role: 'admin',
    territories: 'refused',
    summary: 'Delete a version with its rows and its log',
    answer: nothing,
    refusals: [403, 409],
  },
  'POST /versions/{id}/copy': {
    role: 'planner',
    territories: 'refused',
    because: 'a copy has every row of the version',
    summary: 'Copy a version with its rows, entries and locks',
    request: CopyVersionRequest,
    writesRows: true,
    answer: created(Version),
    refusals: [409],
  },
  'POST /versions/{id}/replay': {
    role: 'planner',
    territories: 'refused',
    because: 'a replay repeats every entry of the version',
    summary: 'Replay a version: run all entries again on the current source',
    request: ReplayVersionRequest,
    writesRows: true,
    answer: created(ReplayAnswer),
    refusals: [409, 422],
  },
  'GET /versions/{id}/replayed': {
    role: 'reader',
    territories: 'refused',
    because: 'a replay repeats every entry of a version',
    summary: 'The result of each entry of a replayed version',
    answer: json(ReplayedAnswer),
  },
  'POST /versions/{id}/close': {
    role: 'planner',
    territories: 'refused',
    because: 'it closes the version for everybody',
    summary: 'Close a version to writes',
    request: CloseVersionRequest,
    answer: json(Version),
    refusals: [409],
  },
  'POST /versions/{id}/open': {
    role: 'planner',
    territories: 'refused',
    because: 'it opens the version for everybody',
    summary: 'Open a closed version again',
    request: CloseVersionRequest,
    answer: json(Version),
    refusals: [409],
  },
} satisfies Endpoints;
