import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { namesAddress, publicLookup, signatureOf } from './webhook-request';

describe('a URL', () => {
  it.each([
    'http://127.0.0.1:8080/',
    'http://[::1]/',
    'http://2130706433/',
    'http://localhost:99/',
  ])('such as %s names an address', (url) => expect(namesAddress(new URL(url))).toBe(true));

  it.each(['http://inside.localhost/', 'http://localhost./', 'http://localhost.example.com/'])(
    'such as %s names a host, whose address is checked',
    (url) => expect(namesAddress(new URL(url))).toBe(false),
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
    const found = await resolved('10.0.0.1', '93.184.216.34', '::1');
    expect(found).toEqual([{ address: '93.184.216.34', family: 4 }]);
  });

  it('with private addresses only is refused', async () => {
    await expect(resolved('10.0.0.1', '::ffff:127.0.0.1')).rejects.toThrow(
      'hooks.example.com has only private addresses',
    );
  });
});
