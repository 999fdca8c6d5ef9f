/** Endpoints of versions, their copies and replays. */
import { ReplayAnswer, ReplayedAnswer, ReplayVersionRequest } from '../replays';
import { CloseVersionRequest, CopyVersionRequest, EditVersionRequest, Version } from '../versions';

import { created, type Endpoint, json, nothing } from './endpoint';

export const VERSION_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/versions/{id}',
    role: 'reader',
    summary: 'One version',
    answer: json(Version),
    refusals: [400, 404],
  },
  {
    method: 'patch',
    path: '/versions/{id}',
    role: 'planner',
    summary: 'Change name, description or excluded origins',
    request: EditVersionRequest,
    answer: json(Version),
    refusals: [400, 403, 404, 409],
  },
  {
    method: 'delete',
    path: '/versions/{id}',
    role: 'admin',
    summary: 'Delete a version with its rows and its log',
    answer: nothing,
    refusals: [400, 403, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/copy',
    role: 'planner',
    summary: 'Copy a version with its rows, entries and locks',
    request: CopyVersionRequest,
    writesRows: true,
    answer: created(Version),
    refusals: [400, 404, 409],
  },
  {
    method: 'post',
    path: '/versions/{id}/replay',
    role: 'planner',
    summary: 'Replay a version: run all entries again on the current source',
    request: ReplayVersionRequest,
    writesRows: true,
    answer: created(ReplayAnswer),
    refusals: [400, 404, 409, 422],
  },
  {
    method: 'get',
    path: '/versions/{id}/replayed',
    role: 'reader',
    summary: 'The result of each entry of a replayed version',
    answer: json(ReplayedAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/close',
    role: 'planner',
    summary: 'Close a version to writes',
    request: CloseVersionRequest,
    answer: json(Version),
    refusals: [400, 404, 409],
  },
  {
    method: 'post',
    path: '/versions/{id}/open',
    role: 'planner',
    summary: 'Open a closed version again',
    request: CloseVersionRequest,
    answer: json(Version),
    refusals: [400, 404, 409],
  },
];
