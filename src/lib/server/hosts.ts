/** Which hosts are served, and which other sites may send a write. */
import { AppError } from './errors';

/** The rules for a request's host, with or without a proxy in front. */
export interface HostRules {
  /** Names, without ports, that are served beside those of this machine; null serves every name. */
  allowedHosts: readonly string[] | null;
  /** The header that names the host: `host`, or the one in which a proxy passes it on. */
  hostHeader: string;
  /** Whether the scheme of a request's URL is known from ORIGIN or PROTOCOL_HEADER. */
  schemeKnown: boolean;
}

/** The name of a host without its port, in lower case; undefined if the text is not a host. */
export function hostName(host: string): string | undefined {
  if (!/^[^\s/?#@\\]+$/.test(host)) return undefined;
  try {
    return new URL(`http://${host}`).hostname.replace(/\.$/, '');
  } catch {
    return undefined;
  }
}

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Checks that a request is for a served host. Without this check, a page of another site could point its own
 * name at this server and read everything (DNS rebinding).
 * @throws AppError 421
 */
export function requireServedHost(headers: Headers, rules: HostRules): void {
  if (rules.allowedHosts === null) return;
  const name = hostName(headers.get(rules.hostHeader) ?? headers.get('host') ?? '');
  if (name !== undefined && (LOOPBACK.test(name) || rules.allowedHosts.includes(name))) return;
  throw new AppError(
    421,
    'This host name is not accepted; PF_ALLOWED_HOSTS lists the accepted ones',
  );
}

/**
 * Checks that a write comes from a page of this service: a form or script of another site can send one
 * without the user's consent, and browsers name the origin.
 * @throws AppError 403
 */
export function requireSameOrigin(headers: Headers, url: URL, rules: HostRules): void {
  const origin = headers.get('origin');
  const otherSite = headers.get('sec-fetch-site') === 'cross-site';
  if (!otherSite && (origin === null || isSameHost(origin, url, rules.schemeKnown))) return;
  throw new AppError(403, 'Writes from pages of another site are refused');
}

function isSameHost(origin: string, url: URL, schemeKnown: boolean): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  // Behind a proxy that does not pass the scheme on, the page's own scheme is assumed.
  const scheme = schemeKnown ? url.protocol : page.protocol;
  return page.hostname === url.hostname && portOf(page) === portOf(url, scheme);
}

/** The port of a URL, or the default port of its scheme. */
const portOf = ({ port, protocol }: URL, scheme = protocol): string =>
  port || (scheme === 'https:' ? '443' : '80');
