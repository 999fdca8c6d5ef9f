import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../contract/endpoints';
import { routeOf } from './routes';

it.each(ENDPOINTS)('$method $path has its route', (endpoint) => {
  const method = endpoint.method.toUpperCase();
  const route = routeOf(method, `/api${endpoint.path.replace(/\{\w+\}/g, '7')}`);
  expect(route?.endpoint).toBe(endpoint);
  expect(route?.allow.split(', ')).toContain(method);
});

it.each([
  ['GET', '/api/tables/my%20own/a%2Fb', { schema: 'my own', tname: 'a/b' }],
  ['HEAD', '/api/s%6Furces/7', { id: '7' }],
  ['POST', '/api/versions/7/scale/preview', { id: '7', operation: 'scale' }],
  ['POST', '/api/reviews/7/submit', { id: '7', step: 'submit' }],
  ['GET', '/api/reviews/waiting', {}],
])('%s %s has its parameters', (method, path, params) => {
  expect(routeOf(method, path)).toMatchObject({ params, endpoint: expect.anything() });
});

it.each([
  ['PATCH', '/api/reviews/waiting', 'GET, HEAD'],
  ['OPTIONS', '/api/sources', 'GET, POST, HEAD'],
  ['GET', '/api/views/1', 'PATCH, DELETE'],
])('%s %s is not possible, but %s is', (method, path, allow) => {
  expect(routeOf(method, path)).toMatchObject({ endpoint: undefined, allow });
});

it.each(['/api', '/api/', '/api//sources', '/api/sources/1/nothing', '/api/sources/%E4'])(
  '%s has no route',
  (path) => expect(routeOf('GET', path)).toBeUndefined(),
);
