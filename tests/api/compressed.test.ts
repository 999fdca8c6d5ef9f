import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plan, type Planned } from '../support/planned';
import { startService, type Service } from '../support/service';

/** Loads over a slow network (docs/contract/04-data-loading.md#compression). */

const FAR = '203.0.113.7';

let service: Service;
let v: Planned;
let plain: Uint8Array;
beforeAll(async () => {
  // A proxy in front of the service names the client's address.
  service = await startService('service', { ADDRESS_HEADER: 'x-client' });
  v = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension', grain: true },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    Array.from({ length: 20_000 }, (_, i) => ({ Region: `Region ${i % 7}`, Sales: i })),
  );
  await service.api.post(`${v.path}/baseline`, { pf_user: 'ann' });
  plain = (await read({ 'x-client': '127.0.0.1' })).bytes;
});
afterAll(() => service.stop());

/** Returns an answer as transmitted. */
async function read(
  headers: Record<string, string>,
  path = `${v.path}/data`,
): Promise<{ status: number; headers: Record<string, unknown>; bytes: Uint8Array }> {
  return new Promise((resolve, reject) => {
    get(`${service.url}/api${path}`, { headers }, (answer) => {
      const status = answer.statusCode ?? 0;
      buffer(answer).then(
        (bytes) => resolve({ status, headers: answer.headers, bytes: new Uint8Array(bytes) }),
        reject,
      );
    }).on('error', reject);
  });
}

const far = (accepted: string) => ({ 'x-client': FAR, 'accept-encoding': accepted });

describe('a distant client', () => {
  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'GZIP;q=0.5, br;q=0', gunzipSync],
  ])('gets the rows as %s, with the right length', async (encoding, accepted, decompress) => {
    const { status, headers, bytes } = await read(far(accepted));
    expect([status, headers['content-encoding'], headers.vary]).toEqual([
      200,
      encoding,
      'accept-encoding',
    ]);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers['x-arrow-length']).toBe(String(plain.length));
    expect(headers['x-row-count']).toBe('20000');
    expect(bytes.length).toBeLessThan(plain.length / 2);
    expect(Buffer.compare(decompress(bytes), plain)).toBe(0);
    expect(Buffer.compare((await read(far(accepted))).bytes, bytes)).toBe(0);
  });

  it.each(['', 'identity', 'br;q=0, gzip;q=0.0', 'zstd'])(
    'gets them uncompressed if it accepts %j',
    async (accepted) => {
      const { headers, bytes } = await read(far(accepted));
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers['content-length']).toBe(String(plain.length));
      expect(Buffer.compare(bytes, plain)).toBe(0);
    },
  );

  it('gets the same tag for the same rows in any encoding, and a new one after a change', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', ''].map(async (accepted) => (await read(far(accepted))).headers.etag),
    );
    expect(new Set(tags).size).toBe(1);
    const known = { ...far('br'), 'if-none-match': String(tags[0]) };
    expect((await read(known)).status).toBe(304);
    const body = { pf_user: 'ann', slice: { Region: 'Region 1' }, pct: 10 };
    expect(
      (
        await service.api.send(`${v.path}/scale`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-client': FAR },
          body: JSON.stringify(body),
        })
      ).status,
    ).toBe(200);
    const changed = await read(known);
    const now = await read({ 'x-client': '::1', 'accept-encoding': 'br' });
    expect([changed.status, now.headers['content-encoding']]).toEqual([200, undefined]);
    expect(Buffer.compare(brotliDecompressSync(changed.bytes), now.bytes)).toBe(0);
  });

  it('gets no bytes for a version without rows', async () => {
    const empty = await plan(
      service,
      [
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      ],
      [],
    );
    const { status, headers, bytes } = await read(far('br'), `${empty.path}/data`);
    expect([status, headers['content-encoding'], bytes.length]).toEqual([200, undefined, 0]);
  });
});
