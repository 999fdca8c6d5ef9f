/** Who sends a request, and which roles they have. */
import { Buffer } from 'node:buffer';
import type { BlockList } from 'node:net';
import { isIPv6 } from 'node:net';
import * as v from 'valibot';
import type { Endpoint } from '../contract/endpoints';
import type { Role } from '../contract/me';
import { ROLES } from '../contract/me';
import { pfUser } from '../contract/primitives';
import { isLoopback, networkOf } from './addresses';
import { AppError } from './errors';
import { NOBODY, type Sender } from './sender';

/** How a proxy names the signed-in person (docs/contract/20-who-is-signed-in.md). */
export interface SignInRules {
  /** The header with the name, in lower case. */
  userHeader: string;
  /** The addresses whose headers are trusted. */
  trustedProxies: BlockList;
  /** The header with the names of the person's groups, in lower case; null if there is none. */
  groupsHeader: string | null;
  /** What separates the names; null for a comma, if no name can contain one. */
  groupsDelimiter: string | null;
  /** The group of the planners; null makes everybody a planner. */
  planners: string | null;
  /** The group of the admins; null makes every planner an admin. */
  admins: string | null;
}

/** The parts of a Node request that identify the sender. */
export interface Received {
  /** Alternating names and values, as they were sent. Unlike `headers`, it keeps repeated headers apart. */
  rawHeaders: readonly string[];
  socket: { remoteAddress?: string | undefined };
}

/**
 * Identifies the sender of a request.
 *
 * @param received undefined if the request did not arrive on the built server's own socket
 * @param rules null if the service signs nobody in
 * @param address of the client; undefined if unknown. It counts only if nobody is signed in
 * @throws AppError 401
 */
export function whoSent(
  received: Received | undefined,
  rules: SignInRules | null,
  address?: string,
): Sender {
  if (rules === null) return { ...NOBODY, holder: holderAt(address) };
  if (!received || !isTrusted(received.socket.remoteAddress, rules.trustedProxies)) {
    throw new AppError(
      401,
      'Open this service through its proxy, which signs you in; requests from your address are not trusted',
    );
  }
  const name = header(received, rules.userHeader);
  if (name === undefined) {
    throw new AppError(401, `Nobody is signed in: the header ${rules.userHeader} is missing`);
  }
  const user = v.safeParse(pfUser, name);
  if (!user.success) {
    const [{ message: problem }] = user.issues;
    throw new AppError(401, `Nobody is signed in: the header ${rules.userHeader} ${problem}`);
  }
  const { groupsHeader, groupsDelimiter } = rules;
  const sent = groupsHeader === null ? undefined : header(received, groupsHeader);
  if (groupsDelimiter === null && sent?.includes(',') && WITH_COMMAS.test(sent)) {
    throw new AppError(
      401,
      `Nobody is signed in: the groups in the header ${groupsHeader} may contain commas; set PF_GROUPS_DELIMITER to what separates them`,
    );
  }
  const groups = (sent ?? '').split(groupsDelimiter ?? ',').flatMap((name) => name.trim() || []);
  return {
    user: user.output,
    roles: rolesOf(groups, rules),
    groups,
    holder: `person ${user.output}`,
    token: null,
    sources: null,
  };
}

/**
 * The token of a request, `Authorization: Bearer pf_…`, with any characters: the proxy has asked for no password then.
 * Other credentials are the proxy's.
 *
 * @returns undefined without a token
 * @throws AppError 401 if the header came twice
 */
export function tokenOf(received: Received): string | undefined {
  const [, token] = /^bearer +(pf_[^]*)$/i.exec(header(received, 'authorization') ?? '') ?? [];
  return token;
}

/**
 * Who shares the limits of an address: null for this machine, because a proxy on it may send the requests of everybody.
 * An IPv6 address counts by its network of 64 bits, whose addresses one machine can all use.
 */
function holderAt(address: string | undefined): string | null {
  if (address === undefined || isLoopback(address)) return null;
  return `address ${networkOf(address)}`;
}

/**
 * Characters that show that names may contain commas: those of a directory (`cn=planners,ou=sales`), and quoted ones. A
 * part of such a name could be taken for the group of the admins.
 */
const WITH_COMMAS = /[=\\"]/;

function isTrusted(address: string | undefined, proxies: BlockList): boolean {
  if (address === undefined) return false;
  // A link-local address includes its interface: fe80::1%eth0.
  const [plain = ''] = address.split('%');
  return proxies.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

/**
 * The one value of a header; undefined if it is missing.
 * @throws AppError 401 if it was sent twice: one of the two may be the client's own
 */
function header({ rawHeaders }: Received, name: string): string | undefined {
  const values = rawHeaders.filter(
    (_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name,
  );
  if (values.length > 1)
    throw new AppError(401, `Nobody is signed in: the header ${name} came twice`);
  const [value] = values;
  return value === undefined ? undefined : decoded(value);
}

/** Node reads each byte of a header as one character; most proxies send UTF-8. */
function decoded(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(value, 'latin1'),
    );
  } catch {
    return value;
  }
}

function rolesOf(groups: readonly string[], { planners, admins }: SignInRules): Role[] {
  const isIn = (group: string | null) => group !== null && groups.includes(group);
  const isPlanner = planners === null || isIn(planners) || isIn(admins);
  const isAdmin = admins === null ? isPlanner : isIn(admins);
  return ROLES.filter((role) => role === 'reader' || (role === 'planner' ? isPlanner : isAdmin));
}

/** Checks that the sender has the role that the endpoint needs, and is a person if it is for people. @throws AppError 403 */
export function requireRole(
  { user, roles, token }: Sender,
  { role, forPeople }: Pick<Endpoint, 'role' | 'forPeople'>,
): void {
  if (role === null) return;
  if (roles.includes(role)) {
    if (!forPeople || token === null) return;
    throw new AppError(403, `Only a signed-in person may do this; ${user} has a token`);
  }
  const needed = role === 'admin' ? 'an admin' : `a ${role}`;
  throw new AppError(403, `Only ${needed} may do this; ${user} is signed in as ${roles.at(-1)}`);
}
