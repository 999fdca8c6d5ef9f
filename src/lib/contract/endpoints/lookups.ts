/** Endpoints of lookups. */
import { CheckedLookup, CreateLookupRequest, EditLookupRequest, LookupsAnswer } from '../lookups';
import { ARROW } from '../primitives';
import { created, type Endpoints, json, nothing, wholeNumber } from './endpoint';

export const LOOKUP_ENDPOINTS = {
  'GET /sources/{id}/lookups': {
    role: 'reader',
    territories: 'none',
    summary: 'The lookups of a source',
    answer: json(LookupsAnswer),
  },
  'POST /sources/{id}/lookups': {
    role: 'admin',
    territories: 'refused',
    summary: 'Join a table by key when rows are shown',
    request: CreateLookupRequest,
    answer: created(CheckedLookup),
    refusals: [409, 422],
  },
  'PATCH /lookups/{id}': {
    role: 'admin',
    territories: 'refused',
    summary: 'Change name, table, keys or attributes of a lookup',
    request: EditLookupRequest,
    answer: json(CheckedLookup),
    refusals: [409, 422],
  },
  'DELETE /lookups/{id}': {
    role: 'admin',
    territories: 'refused',
    summary: 'Delete a lookup',
    answer: nothing,
    refusals: [409],
  },
  'GET /lookups/{id}/rows': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Keys that occur in a version with their attributes, as one Arrow record batch',
    query: {
      version: {
        schema: wholeNumber(1, 2147483647),
        description: 'The version whose keys are answered',
        required: true,
      },
    },
    answer: { status: 200, body: ARROW, headers: ['ETag', 'X-Row-Count', 'Content-Length'] },
    refusals: [409, 422],
  },
} satisfies Endpoints;
