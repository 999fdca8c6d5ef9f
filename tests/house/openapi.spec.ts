// Generators and other tools can work with the OpenAPI document.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/lib/contract/endpoints';
import { openApiDocument } from '../../src/lib/contract/openapi';

const document = openApiDocument('1.0.0');

const problemsOf = async (source: object) => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({
    source: JSON.stringify(source),
    absoluteRef: 'openapi.json',
    config,
  });
  return problems.map(
    ({ severity, ruleId, message, location }) =>
      `${severity} ${ruleId} at ${location[0]?.pointer}: ${message}`,
  );
};

describe('The OpenAPI document', () => {
  it('has no error and no warning of the recommended rules of Redocly', async () => {
    expect(await problemsOf(document)).toEqual([]);
    const { servers: _, ...incomplete } = document;
    expect(await problemsOf(incomplete)).toEqual([
      expect.stringMatching(/^error no-empty-servers/),
    ]);
  });

  it('has a name for each operation, which generators use for functions', () => {
    const operations: { operationId?: string }[] = Object.values(document.paths).flatMap((path) =>
      Object.values<object>(path as Record<string, object>),
    );
    const names = operations.map(({ operationId = '' }) => operationId);
    expect(names).toHaveLength(ENDPOINTS.length);
    expect(new Set(names).size).toBe(names.length);
    expect(
      names.filter((name) => !/^(get|post|put|patch|delete)([A-Z][a-z]*)+$/.test(name)),
    ).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(['getSources', 'getSource', 'postVersionScale', 'patchTerritory']),
    );
  });

  it('describes each schema once', () => {
    const { schemas } = document.components;
    expect(schemas.TokensAnswer).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Token' },
    });
    const texts = Object.values(schemas)
      .map((schema) => JSON.stringify(schema))
      .filter((text) => text.length > 200);
    expect(texts.length).toBeGreaterThan(50);
    const { paths } = document;
    const rest = JSON.stringify(paths);
    expect(texts.filter((text) => rest.includes(text))).toEqual([]);
  });

  it('says which operations accept tokens', () => {
    expect(document.security).toEqual([{ token: [] }, {}]);
    const security = (method: string, path: string) =>
      (document.paths[`/api${path}`]?.[method] as { security?: object[] }).security;
    expect(security('get', '/health')).toEqual([]);
    expect(security('post', '/tokens')).toEqual([{}]);
    expect(security('get', '/sources')).toBeUndefined();
  });
});
