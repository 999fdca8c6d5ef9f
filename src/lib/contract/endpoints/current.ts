/** Endpoints of current names. */
import { CurrentName, CurrentNamesAnswer, SetCurrentRequest } from '../current';
import { Version } from '../versions';

import { type Endpoints, json, wholeNumber } from './endpoint';

export const CURRENT_ENDPOINTS = {
  'GET /sources/{id}/current': {
    role: 'reader',
    territories: 'none',
    summary: 'The current names of a source with their moves',
    answer: json(CurrentNamesAnswer),
  },
  'PUT /sources/{id}/current': {
    role: 'planner',
    territories: 'refused',
    because: 'a name says for everybody which plan counts',
    summary: 'Set, move or remove a current name',
    request: SetCurrentRequest,
    answer: json(CurrentName),
    refusals: [409],
  },
  'GET /current/{name}': {
    role: 'reader',
    territories: 'none',
    summary: 'The version that has a current name',
    query: {
      source: {
        schema: wholeNumber(1, 2147483647),
        description: 'The id of the source',
        required: true,
      },
    },
    answer: json(Version),
  },
} satisfies Endpoints;
