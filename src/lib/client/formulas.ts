/** The endpoints of formulas as typed functions. */
import type {
  CheckedFormula,
  CreateFormulaRequest,
  EditFormulaRequest,
} from '../contract/formulas';
import { type CallOptions, json, path, send } from './http';

/** GET /sources/:id/formulas: sorted by name. */
export const listFormulas = (sourceId: number, o?: CallOptions) =>
  json<CheckedFormula[]>(path`/sources/${sourceId}/formulas`, o);

/** POST /sources/:id/formulas: 400 with the place of a fault; 409 if the name is taken. */
export const createFormula = (sourceId: number, body: CreateFormulaRequest, o?: CallOptions) =>
  json<CheckedFormula>(path`/sources/${sourceId}/formulas`, { ...o, method: 'POST', body });

/** PATCH /formulas/:id: omitted fields stay unchanged; refused as a new formula is. */
export const editFormula = (id: number, body: EditFormulaRequest, o?: CallOptions) =>
  json<CheckedFormula>(path`/formulas/${id}`, { ...o, method: 'PATCH', body });

/** DELETE /formulas/:id: 404 if it is gone already. */
export const deleteFormula = async (id: number, o?: CallOptions) => {
  await send(path`/formulas/${id}`, { ...o, method: 'DELETE' });
};
