import { describe, expect, it } from 'vitest';
import { tokenOf } from './sign-in';
import { hasSecret, hashOf, Tokens, withoutSecrets } from './tokens';

const SECRET = `pf_${'aB3-_'.repeat(8)}xyz`;
const WRONG = /^The token is wrong/;
const MANY = /^Too many wrong tokens/;

/** Tokens of which one is valid, at a time that the test sets. */
function gate() {
  const at = { ms: 1_000_000 };
  const uses: number[] = [];
  const valid = new Set([hashOf(SECRET).toString('hex')]);
  /** The tokens that were looked up. */
  const found: string[] = [];
  const secrets = new Map(
    [SECRET, 'pf_wrong', 'pf_other'].map((s) => [hashOf(s).toString('hex'), s]),
  );
  const tokens = new Tokens(
    {
      find: async (hash) => {
        const key = hash.toString('hex');
        found.push(secrets.get(key) ?? key);
        return valid.has(key)
          ? { id: 7, name: 'night', roles: ['reader'], groups: ['north'], sources: null }
          : undefined;
      },
      recordUse: async (id) => void uses.push(id),
    },
    () => at.ms,
  );
  const fail = async (times: number, address: string) => {
    for (let i = 0; i < times; i++) {
      await expect(tokens.senderOf('pf_wrong', address)).rejects.toThrow(WRONG);
    }
  };
  return { tokens, at, uses, valid, found, fail };
}

describe('A token', () => {
  it('names its sender', async () => {
    expect(await gate().tokens.senderOf(SECRET, '192.0.2.1')).toEqual({
      user: 'night',
      roles: ['reader'],
      groups: ['north'],
      holder: 'person night',
      token: 7,
      sources: null,
    });
  });

  it('has its use recorded once in five minutes', async () => {
    const { tokens, at, uses } = gate();
    for (const minutes of [0, 1, 3, 1, 4, 1]) {
      at.ms += minutes * 60_000;
      await tokens.senderOf(SECRET, undefined);
    }
    expect(uses).toEqual([7, 7, 7]);
  });

  it('is refused as soon as it is revoked', async () => {
    const { tokens, valid } = gate();
    await tokens.senderOf(SECRET, undefined);
    valid.clear();
    await expect(tokens.senderOf(SECRET, undefined)).rejects.toThrow(WRONG);
  });
});

describe('Wrong tokens', () => {
  it('are limited by address for a minute', async () => {
    const { tokens, at, fail } = gate();
    await fail(20, '192.0.2.1');
    await expect(tokens.senderOf('pf_wrong', '192.0.2.1')).rejects.toMatchObject({
      status: 429,
      message: expect.stringMatching(MANY),
      blame: { retryAfter: 60 },
    });
    await fail(1, '192.0.2.2');
    at.ms += 60_000;
    await fail(20, '192.0.2.1');
    await expect(tokens.senderOf('pf_wrong', '192.0.2.1')).rejects.toThrow(MANY);
  });

  it('are limited by network with IPv6', async () => {
    const { tokens, fail } = gate();
    await fail(20, '2001:db8::1');
    await expect(tokens.senderOf('pf_wrong', '2001:db8::2')).rejects.toThrow(MANY);
    await fail(1, '2001:db8:0:1::1');
  });

  it('do not block a valid token of the same address, used before or not', async () => {
    const { tokens, valid, fail } = gate();
    await fail(20, '192.0.2.1');
    for (let i = 0; i < 2; i++) {
      expect(await tokens.senderOf(SECRET, '192.0.2.1')).toMatchObject({ user: 'night' });
    }
    valid.clear();
    await expect(tokens.senderOf(SECRET, '192.0.2.1')).rejects.toThrow(MANY);
  });

  it('are not looked up again after too many of them', async () => {
    const { tokens, found, fail } = gate();
    await fail(20, '192.0.2.1');
    for (const secret of ['pf_wrong', 'pf_other', 'pf_other']) {
      await expect(tokens.senderOf(secret, '192.0.2.1')).rejects.toThrow(MANY);
    }
    expect(found).toEqual([...Array(20).fill('pf_wrong'), 'pf_other']);
  });
});

describe('The header of a token', () => {
  const sent = (...values: string[]) =>
    tokenOf({
      rawHeaders: values.flatMap((value) => ['Authorization', value]),
      socket: {},
    });

  it('has the scheme Bearer and begins with pf_', () => {
    expect(sent(`Bearer ${SECRET}`)).toBe(SECRET);
    expect(sent('bearer  pf_x')).toBe('pf_x');
    // A line separator of Unicode, as the bytes of UTF-8.
    expect(sent('Bearer pf_\u00e2\u0080\u00a8')).toBe('pf_\u2028');
    expect([sent(), sent('Basic pf_x'), sent('Bearer eyJhbGciOi'), sent('pf_x')]).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('comes once', () => {
    expect(() => sent(`Bearer ${SECRET}`, 'Basic eA==')).toThrow(/authorization came twice/);
  });
});

describe('A secret in a URL', () => {
  it.each([
    [`/api/sources/${SECRET}`, '/api/sources/pf_…'],
    [`/api/me?token=${SECRET}&x=${SECRET}`, '/api/me?token=pf_…&x=pf_…'],
    [`/api/${SECRET.replace('_', '%5F').replace('a', '%61')}`, '/api/pf_…'],
    [`/api/%/${SECRET}`, '/api/%/pf_…'],
  ])('is found and left out: %s', (url, without) => {
    expect([hasSecret(url), withoutSecrets(url)]).toEqual([true, without]);
  });

  it.each(['/api/sources/1', '/api/tables/public/pf_orders', '/api/%61/%', '/x?q=pf_…'])(
    'is none in %s',
    (url) => expect([hasSecret(url), withoutSecrets(url)]).toEqual([false, url]),
  );
});
