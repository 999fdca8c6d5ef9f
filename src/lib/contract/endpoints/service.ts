/** Endpoints of the service itself: health, metrics, OpenAPI, the signed-in person. */
import * as v from 'valibot';
import { Me } from '../me';

import { type Endpoints, json, METRICS } from './endpoint';

export const SERVICE_ENDPOINTS = {
  'GET /health': {
    role: null,
    territories: 'none',
    summary: 'Whether the database answers and the server can work on its schema',
    answer: json(v.object({ status: v.literal('ok'), version: v.string() })),
    refusals: [503],
  },
  'GET /health/live': {
    role: null,
    territories: 'none',
    summary: 'Whether the process answers, in any state of the database',
    answer: json(v.object({ status: v.literal('ok') })),
  },
  'GET /metrics': {
    role: null,
    territories: 'none',
    summary: 'Metrics of this process for Prometheus',
    answer: { status: 200, body: METRICS },
    refusals: [404],
  },
  'GET /openapi.json': {
    role: 'reader',
    territories: 'none',
    summary: 'The API as OpenAPI 3.1',
    answer: json(v.looseObject({ openapi: v.string() })),
  },
  'GET /me': {
    role: 'reader',
    territories: 'none',
    summary: 'The signed-in person and their roles',
    answer: json(Me),
  },
} satisfies Endpoints;
