/** Endpoints of published plans. */
import { Published, PublishedAnswer, PublishRequest } from '../published';

import { type Endpoints, json, nothing } from './endpoint';

export const PUBLISHED_ENDPOINTS = {
  'GET /sources/{id}/published': {
    role: 'admin',
    territories: 'refused',
    summary: 'The published versions of a source',
    answer: json(PublishedAnswer),
  },
  'PUT /versions/{id}/published': {
    role: 'admin',
    territories: 'refused',
    summary: 'Publish a version as views of the database, or move views to it',
    request: PublishRequest,
    answer: json(Published),
    refusals: [409, 422],
  },
  'DELETE /published/{id}': {
    role: 'admin',
    territories: 'refused',
    summary: 'Withdraw the views of a published version',
    answer: nothing,
    refusals: [409, 422],
  },
} satisfies Endpoints;
