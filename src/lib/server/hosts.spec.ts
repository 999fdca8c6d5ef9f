import { describe, expect, it } from 'vitest';
import { hostName, requireSameOrigin, requireServedHost, type HostRules } from './hosts';

const rules = (change: Partial<HostRules> = {}): HostRules => ({
  allowedHosts: null,
  hostHeader: 'host',
  schemeKnown: false,
  ...change,
});

describe('the name of a host', () => {
  it.each([
    ['plan.example.com', 'plan.example.com'],
    ['Plan.Example.COM:3010', 'plan.example.com'],
    ['plan.example.com.', 'plan.example.com'],
    ['[::1]:3010', '[::1]'],
    ['127.0.0.1:80', '127.0.0.1'],
    ['a b', undefined],
    ['user@plan.example.com', undefined],
    ['plan.example.com/x', undefined],
    ['plan.example.com:port', undefined],
    ['', undefined],
  ])('of %s is %s', (host, name) => expect(hostName(host)).toBe(name));
});

describe('a served host', () => {
  const served = (headers: Record<string, string>, change: Partial<HostRules> = {}) => {
    const all = rules({ allowedHosts: ['plan.example.com'], ...change });
    try {
      requireServedHost(new Headers(headers), all);
      return 200;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
  it.each([
    ['PLAN.example.com:8080', 200],
    ['localhost:3010', 200],
    ['plan.localhost', 200],
    ['127.0.0.1:3010', 200],
    ['[::1]:3010', 200],
    ['evil.example.com', 421],
    ['plan.example.com.evil.com', 421],
    ['127.0.0.1.evil.com', 421],
    ['localhost.evil.com', 421],
    ['10.0.0.7', 421],
  ])('%s: %i', (host, status) => expect(served({ host })).toBe(status));

  it('is the one that a proxy passes on, if it does', () => {
    const change = { hostHeader: 'x-forwarded-host' };
    const host = '10.0.0.7:3010';
    expect(served({ host, 'x-forwarded-host': 'plan.example.com' }, change)).toBe(200);
    expect(served({ host, 'x-forwarded-host': 'evil.example.com' }, change)).toBe(421);
    expect(served({ host }, change)).toBe(421);
    expect(served({ host, 'x-forwarded-host': 'plan.example.com' })).toBe(421);
  });

  it('is any host if none is configured', () => {
    expect(served({ host: 'evil.example.com' }, { allowedHosts: null })).toBe(200);
  });
});

describe('the origin of a write', () => {
  const status = (origin: string | null, url: string, schemeKnown = false) => {
    try {
      const headers = new Headers(origin === null ? {} : { origin });
      requireSameOrigin(headers, new URL(url), rules({ schemeKnown }));
      return 200;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
  it.each([
    [null, 'https://plan.example.com', 200],
    ['https://plan.example.com', 'https://plan.example.com', 200],
    ['https://PLAN.example.com', 'https://plan.example.com', 200],
    ['http://plan.example.com:3010', 'https://plan.example.com:3010', 200],
    // adapter-node assumes https unless it is configured otherwise.
    ['http://plan.example.com', 'https://plan.example.com', 200],
    ['https://plan.example.com:8443', 'https://plan.example.com', 403],
    ['https://plan.example.com', 'https://plan.example.com:8443', 403],
    ['https://evil.example.com', 'https://plan.example.com', 403],
    ['null', 'https://plan.example.com', 403],
    ['', 'https://plan.example.com', 403],
  ])('%s for %s: %i', (origin, url, expected) => expect(status(origin, url)).toBe(expected));

  it('must have the same scheme if that is known', () => {
    expect(status('http://plan.example.com', 'https://plan.example.com', true)).toBe(403);
    expect(status('https://plan.example.com', 'https://plan.example.com', true)).toBe(200);
  });
});
