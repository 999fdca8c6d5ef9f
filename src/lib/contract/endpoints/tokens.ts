/** Endpoints of tokens. */
import { CreatedToken, CreateTokenRequest, TokensAnswer } from '../tokens';

import { created, type Endpoints, json, nothing } from './endpoint';

export const TOKEN_ENDPOINTS = {
  'GET /tokens': {
    role: 'admin',
    forPeople: true,
    territories: 'refused',
    summary: 'The tokens by which programs sign in',
    answer: json(TokensAnswer),
    refusals: [404],
  },
  'POST /tokens': {
    role: 'admin',
    forPeople: true,
    territories: 'refused',
    summary: 'Make a token for a program',
    request: CreateTokenRequest,
    answer: created(CreatedToken),
    refusals: [404],
  },
  'DELETE /tokens/{id}': {
    role: 'admin',
    forPeople: true,
    territories: 'refused',
    summary: 'Revoke a token',
    answer: nothing,
  },
} satisfies Endpoints;
