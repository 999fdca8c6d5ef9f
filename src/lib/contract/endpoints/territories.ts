/** Endpoints of territories. */
import {
  CreateTerritoryRequest,
  EditTerritoryRequest,
  TerritoriesAnswer,
  Territory,
} from '../territories';

import { created, type Endpoint, json, nothing } from './endpoint';

export const TERRITORY_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/sources/{id}/territories',
    role: 'admin',
    territories: 'refused',
    summary: 'The territories of a source',
    answer: json(TerritoriesAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/sources/{id}/territories',
    role: 'admin',
    territories: 'refused',
    summary: 'Give a person or a group a part of a source',
    request: CreateTerritoryRequest,
    answer: created(Territory),
    refusals: [400, 404, 409],
  },
  {
    method: 'patch',
    path: '/territories/{id}',
    role: 'admin',
    territories: 'refused',
    summary: 'Change the member or the slices of a territory',
    request: EditTerritoryRequest,
    answer: json(Territory),
    refusals: [400, 404, 409],
  },
  {
    method: 'delete',
    path: '/territories/{id}',
    role: 'admin',
    territories: 'refused',
    summary: 'Delete a territory',
    answer: nothing,
    refusals: [400, 404],
  },
];
