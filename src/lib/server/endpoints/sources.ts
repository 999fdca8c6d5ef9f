/** Handlers of tables, sources, and their named views, profiles and formulas. */
import type { SOURCE_ENDPOINTS } from '../../contract/endpoints/sources';
import { columns, saveColumns } from '../services/setup/column-metadata';
import {
  createFormula,
  deleteFormula,
  editFormula,
  listFormulas,
} from '../services/setup/formulas';
import { generate, previewTemplates, templates } from '../services/setup/generate';
import { profiles, views } from '../services/setup/named';
import {
  columnValues,
  editSource,
  estimateGrain,
  registerSource,
  removeSource,
  source,
  sources,
} from '../services/setup/sources';
import { previewTable, tables } from '../services/setup/tables';
import { createVersion, versions } from '../services/setup/versions';
import type { Handlers } from './asked';

/** Rows of a table and values of a column, if a request does not say how many. */
const LIMIT = 50;

export const sourceHandlers: Handlers<typeof SOURCE_ENDPOINTS> = {
  'GET /tables': ({ db }) => tables(db),
  'GET /tables/{schema}/{tname}': ({ db, schema, tname, query: { limit = LIMIT } }) =>
    previewTable(db, schema, tname, limit),
  'GET /sources': ({ db, query }) => sources(db, query.status === 'all'),
  'POST /sources': ({ db, body }) => registerSource(db, body),
  'GET /sources/{id}': ({ db, id }) => source(db, id),
  'PATCH /sources/{id}': ({ db, id, body }) => editSource(db, id, body),
  'DELETE /sources/{id}': ({ db, id }) => removeSource(db, id),
  'GET /sources/{id}/columns': ({ db, id }) => columns(db, id),
  'PUT /sources/{id}/columns': ({ db, id, body }) => saveColumns(db, id, body),
  'GET /sources/{id}/values': ({ db, id, query: { cname, search = '', limit = LIMIT } }) =>
    columnValues(db, id, cname, search, limit),
  'POST /sources/{id}/grain-estimate': ({ db, id, body }) => estimateGrain(db, id, body.columns),
  'GET /sources/{id}/sql': ({ db, id }) => templates(db, id),
  'POST /sources/{id}/sql': ({ db, id }) => generate(db, id),
  'GET /sources/{id}/sql/preview': ({ db, id }) => previewTemplates(db, id),
  'GET /sources/{id}/versions': ({ db, id }) => versions(db, id),
  'POST /sources/{id}/versions': ({ locals, id, body }) => createVersion(locals, id, body),
  'GET /sources/{id}/views': ({ db, id }) => views.list(db, id),
  'POST /sources/{id}/views': ({ db, id, body }) => views.create(db, id, body),
  'PATCH /views/{id}': ({ db, id, body }) => views.edit(db, id, body),
  'DELETE /views/{id}': ({ db, id }) => views.remove(db, id),
  'GET /sources/{id}/profiles': ({ db, id }) => profiles.list(db, id),
  'POST /sources/{id}/profiles': ({ db, id, body }) => profiles.create(db, id, body),
  'PATCH /profiles/{id}': ({ db, id, body }) => profiles.edit(db, id, body),
  'DELETE /profiles/{id}': ({ db, id }) => profiles.remove(db, id),
  'GET /sources/{id}/formulas': ({ db, id }) => listFormulas(db, id),
  'POST /sources/{id}/formulas': ({ db, id, body }) => createFormula(db, id, body),
  'PATCH /formulas/{id}': ({ db, id, body }) => editFormula(db, id, body),
  'DELETE /formulas/{id}': ({ db, id }) => deleteFormula(db, id),
};
