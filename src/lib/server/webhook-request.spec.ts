import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isPrivate, publicLookup, signatureOf } from './webhook-request';

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fd12::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
  ])('such as %s is private', (address) => expect(isPrivate(address)).toBe(true));

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2001:db8::1', '::ffff:8.8.8.8'])(
    'such as %s is public',
    (address) => expect(isPrivate(address)).toBe(false),
  );
});

describe('a signature', () => {
  it('is that of Standard Webhooks', () => {
    // The example of https://www.standardwebhooks.com/verify/ in its libraries' tests.
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    expect(signatureOf(secret, message, 1_614_265_330)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });
});

describe('a name', () => {
  const resolved = (...addresses: string[]) =>
    new Promise<unknown>((resolve, reject) => {
      const lookup = publicLookup((_name, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
      );
      lookup('hooks.example.com', { all: true }, (error, found) =>
        error ? reject(error) : resolve(found),
      );
    });

  it('is resolved to its public addresses', async () => {
    const found = await resolved('10.0.0.1', '203.0.113.7', '::1');
    expect(found).toEqual([{ address: '203.0.113.7', family: 4 }]);
  });

  it('with private addresses only is refused', async () => {
    await expect(resolved('10.0.0.1', '::ffff:127.0.0.1')).rejects.toThrow(
      'hooks.example.com has only private addresses',
    );
  });
});
