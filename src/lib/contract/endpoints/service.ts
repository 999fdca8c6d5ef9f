/** Endpoints of the service itself: health, metrics, OpenAPI, the signed-in person. */
import * as v from 'valibot';
import { Me } from '../me';

import { type Endpoint, json, METRICS } from './endpoint';

export const SERVICE_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/health',
    role: null,
    territories: 'none',
    summary: 'Whether the database answers and the server can work on its schema',
    answer: json(v.object({ status: v.literal('ok'), version: v.string() })),
    refusals: [503],
  },
  {
    method: 'get',
    path: '/health/live',
    role: null,
    territories: 'none',
    summary: 'Whether the process answers, in any state of the database',
    answer: json(v.object({ status: v.literal('ok') })),
    refusals: [],
  },
  {
    method: 'get',
    path: '/metrics',
    role: null,
    territories: 'none',
    summary: 'Metrics of this process for Prometheus',
    answer: { status: 200, body: METRICS },
    refusals: [404],
  },
  {
    method: 'get',
    path: '/openapi.json',
    role: 'reader',
    territories: 'none',
    summary: 'The API as OpenAPI 3.1',
    answer: json(v.looseObject({ openapi: v.string() })),
    refusals: [],
  },
  {
    method: 'get',
    path: '/me',
    role: 'reader',
    territories: 'none',
    summary: 'The signed-in person and their roles',
    answer: json(Me),
    refusals: [],
  },
];
