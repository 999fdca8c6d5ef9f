// Tests docs/contract/17-openapi.md.
import * as v from 'valibot';
import { describe, expect } from 'vitest';
import { type Endpoint, ENDPOINTS } from '../../../src/lib/contract/endpoints';
import { METRICS } from '../../../src/lib/contract/endpoints/endpoint';
import { EVENT_STREAM } from '../../../src/lib/contract/events';
import { ARROW } from '../../../src/lib/contract/primitives';
import { SLICE_OPERATIONS } from '../../../src/lib/contract/operations';
import { ErrorAnswer } from '../../../src/lib/contract/primitives';
import { REVIEW_STEP_NAMES } from '../../../src/lib/contract/reviews';
import { HANDLERS } from '../../../src/lib/server/endpoints/answer';
import { decode, it, makeVersion } from './orders';
import { REQUESTS, user } from './documented-requests';

const named = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) =>
  `${method.toUpperCase()} ${path}`;

/** The path parameters that accept only some words, with these words. */
const LIMITED: [parameter: string, words: readonly string[]][] = [
  ['{operation}', SLICE_OPERATIONS],
  ['{step}', REVIEW_STEP_NAMES],
];

/** Returns every method and path that has a handler. */
function served(): string[] {
  return Object.keys(HANDLERS).flatMap((name) => {
    const [parameter = '', words] = LIMITED.find(([parameter]) => name.includes(parameter)) ?? [];
    return words?.map((word) => name.replace(parameter, word)) ?? [name];
  });
}

describe('The OpenAPI document', () => {
  it('names exactly the endpoints that are served', () => {
    expect(ENDPOINTS.map(named).toSorted()).toEqual(served().toSorted());
    expect(new Set(ENDPOINTS.map(named)).size).toBe(ENDPOINTS.length);
  });

  it('is served as complete OpenAPI 3.1', async ({ service }) => {
    const { status, body } = await service.api.get('/openapi.json');
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
    const operations = Object.entries<
      Record<string, { responses: object; parameters?: { name: string; in: string }[] }>
    >(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(
      operations.map(({ path, method }) =>
        named({ method: method as 'get', path: path.replace('/api', '') }),
      ),
    ).toEqual(expect.arrayContaining(ENDPOINTS.map(named)));
    expect(operations).toHaveLength(ENDPOINTS.length);
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]);
      expect(
        (operation.parameters ?? []).filter((p) => p.in === 'path').map((p) => p.name),
      ).toEqual(inPath);
    }
    const text = JSON.stringify(body);
    for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]*)"/g)) {
      const found = pointer!
        .split('/')
        .reduce<Record<string, unknown> | undefined>(
          (at, key) => at?.[key] as Record<string, unknown> | undefined,
          body,
        );
      expect([pointer, found]).toEqual([pointer, expect.anything()]);
    }
    expect(text).not.toContain('$defs');
    const scale = body.paths['/api/versions/{id}/scale'].post;
    expect(scale.description).toBe('Needs the role planner.');
    expect(body.paths['/api/health'].get.responses).not.toHaveProperty('401');
    // An Idempotency-Key that was used for another request, or two changes that conflict.
    expect(body.paths['/api/versions/{id}/redo/{logid}'].post.responses).toHaveProperty('409');
    expect(body.paths['/api/log/{logid}'].patch.responses).toHaveProperty('409');
    // A preview of rows that somebody has locked.
    for (const preview of ['recode/preview', 'preview']) {
      const { post } = body.paths[`/api/versions/{id}/${preview}`];
      expect(post.responses).toHaveProperty('423');
    }
    for (const read of ['data', 'agg', 'log']) {
      const [rows] = Object.values<{ headers: object }>(
        body.paths[`/api/versions/{id}/${read}`].get.responses,
      );
      expect(rows?.headers).toMatchObject({ 'X-Timeline': {}, 'X-Revision': {} });
    }
    const { schema } = scale.requestBody.content['application/json'];
    expect(schema).toEqual({ $ref: '#/components/schemas/ScaleRequest' });
    const [one, several] = body.components.schemas.ScaleRequest.anyOf;
    expect(several.required).toEqual(['edits', 'pf_user']);
    expect(several.properties.edits).toMatchObject({ minItems: 1, maxItems: 1000 });
    expect(one.required).toEqual(['slice', 'pf_user']);
    expect(one.properties.slice).toMatchObject({
      type: 'object',
      additionalProperties: { anyOf: expect.any(Array) },
    });
    expect(Object.keys(scale.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '421',
      '422',
      '423',
      '429',
      '500',
      '503',
    ]);
  });

  it.for(ENDPOINTS.map((endpoint) => [named(endpoint), endpoint] as const))(
    '%s answers as documented',
    async ([name, endpoint], { service, sourceId }) => {
      const { answer: documented, refusals, request } = endpoint;
      const answer = await REQUESTS[name]!(service, sourceId);
      expect([answer.status, answer.body?.error]).toEqual([documented.status, undefined]);
      if (documented.body === undefined) {
        expect(answer.bytes).toHaveLength(0);
      } else if (documented.body === ARROW) {
        expect(answer.headers.get('content-type')).toBe(ARROW);
        expect(decode(answer.bytes).batches).toBe(1);
        for (const header of documented.headers!) expect(answer.headers.has(header)).toBe(true);
      } else if (documented.body === METRICS || documented.body === EVENT_STREAM) {
        expect(answer.headers.get('content-type')).toMatch(documented.body);
      } else {
        expect(answer.headers.get('content-type')).toBe('application/json');
        // The parsed answer equals the answer: nothing is missing, nothing undocumented.
        expect(v.parse(documented.body, answer.body)).toEqual(answer.body);
      }

      // Refusals have a documented status, and the common form of errors.
      const target = endpoint.path.replace('{id}', '2147483647').replace('{logid}', '2147483647');
      const method = endpoint.method.toUpperCase();
      const attempts: RequestInit[] = [{ method }];
      if (request) {
        for (const [type, body] of [
          ['text/plain', '{}'],
          ['application/json', '{'],
          [
            'application/json',
            JSON.stringify({
              ...user,
              slice: {},
              set: {},
              pct: 1,
              name: 'x',
              columns: ['a'],
              schema: 'x',
              tname: 'y',
              layout: {},
            }),
          ],
        ]) {
          attempts.push({ method, body, headers: { 'content-type': type! } });
        }
      }
      for (const attempt of attempts) {
        const refusal = await service.api.send(target, attempt);
        if (refusal.status < 300) continue;
        expect([...refusals, ...(request ? [413, 415] : [])]).toContain(refusal.status);
        expect(v.parse(v.strictObject(ErrorAnswer.entries), refusal.body)).toEqual(refusal.body);
      }
    },
  );

  it('documents all fields of an empty version, too', async ({ service, sourceId }) => {
    const path = `/versions/${await makeVersion(service, sourceId)}`;
    for (const [what, name] of [
      ['/log', 'GET /versions/{id}/log'],
      ['/segments', 'GET /versions/{id}/segments'],
      ['', 'GET /versions/{id}'],
    ]) {
      const { body } = await service.api.get(path + what);
      const schema = ENDPOINTS.find((e) => named(e) === name)!.answer.body as v.GenericSchema;
      expect(v.parse(schema, body)).toEqual(body);
    }
  });
});
