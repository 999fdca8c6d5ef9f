/** Endpoints of territories. */
import {
  CreateTerritoryRequest,
  EditTerritoryRequest,
  MembersAnswer,
  MOST_MEMBERS,
  TerritoriesAnswer,
  Territory,
} from '../territories';

import { text } from '../primitives';
import { created, type Endpoints, json, nothing } from './endpoint';

export const TERRITORY_ENDPOINTS = {
  'GET /sources/{id}/territories': {
    role: 'admin',
    territories: 'refused',
    summary: 'The territories of a source',
    answer: json(TerritoriesAnswer),
  },
  'POST /sources/{id}/territories': {
    role: 'admin',
    territories: 'refused',
    summary: 'Give a person or a group a part of a source',
    request: CreateTerritoryRequest,
    answer: created(Territory),
    refusals: [409],
  },
  'PATCH /territories/{id}': {
    role: 'admin',
    territories: 'refused',
    summary: 'Change the member or the slices of a territory',
    request: EditTerritoryRequest,
    answer: json(Territory),
    refusals: [409],
  },
  'DELETE /territories/{id}': {
    role: 'admin',
    territories: 'refused',
    summary: 'Delete a territory',
    answer: nothing,
  },
  'GET /members': {
    role: 'admin',
    territories: 'narrowed',
    summary: 'People and groups that the service has seen',
    query: {
      search: {
        schema: text,
        description: `Only names with this text; at most ${MOST_MEMBERS} are listed`,
      },
    },
    answer: json(MembersAnswer),
  },
} satisfies Endpoints;
