/** Sends one message to the webhook: signed, and never to an address outside of the Internet that its name resolves to. */
import { createHmac } from 'node:crypto';
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isGlobal } from './addresses';

/** Where events are sent to, and the key that signs them. */
export interface WebhookRules {
  url: URL;
  secret: Buffer;
}

/** A message, with the id by which a receiver recognises that it was sent before. */
export interface WebhookMessage {
  id: string;
  body: string;
}

/** Time after which a receiver that does not answer counts as unreachable, in milliseconds. */
const ANSWER_MILLISECONDS = 10_000;

/** Checks whether a URL names a machine by its address, or this machine by `localhost`: its address is then meant. */
export function namesAddress({ hostname }: URL): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || hostname === 'localhost';
}

/** What a name resolves to: Node.js's own `dns.lookup` of all addresses. */
type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a lookup for a request that refuses names without an address on the Internet. The request connects to an
 * address that was checked, so a name cannot change its address in between.
 */
export const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const found = addresses.filter(({ address }) => isGlobal(address));
      if (found[0] === undefined) {
        const reason = `${hostname} has only private addresses; if one is meant, PF_WEBHOOK must name the address itself`;
        return callback(new Error(reason), []);
      }
      if (options.all) return callback(null, found);
      return callback(null, found[0].address, found[0].family);
    });
  };

/**
 * Returns the signature of a message: `v1,` and the HMAC-SHA-256, in Base64, of id, timestamp and body
 * (https://www.standardwebhooks.com).
 *
 * @param timestamp in seconds since 1970
 */
export function signatureOf(
  secret: Buffer,
  { id, body }: WebhookMessage,
  timestamp: number,
): string {
  const signed = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`);
  return `v1,${signed.digest('base64')}`;
}

/**
 * Sends a message. Redirects are not followed.
 *
 * @throws Error if the receiver cannot be reached, does not answer in time, or answers another status than 2xx
 */
export function post(
  { url, secret }: WebhookRules,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    const sent = send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(message.body),
        'user-agent': 'forecast-pivot',
        'webhook-id': message.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf(secret, message, timestamp),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MILLISECONDS)]),
      ...(!namesAddress(url) && { lookup: publicLookup(lookup) }),
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const { statusCode = 0 } = answer;
      // Only the status counts, so the rest of the answer need not arrive.
      answer.destroy();
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`The receiver answered ${statusCode}`));
    });
    sent.end(message.body);
  });
}
