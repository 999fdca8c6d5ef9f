/** The endpoints of territories as typed functions. */
import type {
  CreateTerritoryRequest,
  EditTerritoryRequest,
  Territory,
} from '../contract/territories';
import { type CallOptions, json, path, send } from './http';

/** GET /sources/:id/territories: oldest first; for admins. */
export const listTerritories = (sourceId: number, o?: CallOptions) =>
  json<Territory[]>(path`/sources/${sourceId}/territories`, o);

/** POST /sources/:id/territories: 400 for a slice that cannot be used, and if nobody is signed in. */
export const createTerritory = (sourceId: number, body: CreateTerritoryRequest, o?: CallOptions) =>
  json<Territory>(path`/sources/${sourceId}/territories`, { ...o, method: 'POST', body });

/** PATCH /territories/:id: omitted fields stay unchanged. */
export const editTerritory = (id: number, body: EditTerritoryRequest, o?: CallOptions) =>
  json<Territory>(path`/territories/${id}`, { ...o, method: 'PATCH', body });

/** DELETE /territories/:id: 404 if it is gone already. */
export const deleteTerritory = async (id: number, o?: CallOptions) => {
  await send(path`/territories/${id}`, { ...o, method: 'DELETE' });
};
