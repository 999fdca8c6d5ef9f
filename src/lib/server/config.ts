/** Reads and checks the environment variables of the service. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { totalmem } from 'node:os';
import { reasonOf } from './errors';
import type { HostRules } from './hosts';
import { hostName } from './hosts';
import type { SignInRules } from './sign-in';
import type { WebhookRules } from './webhook-request';

/** How to reach PostgreSQL (docs/contract/01-what-the-service-does.md#encrypted-connections). */
export interface DatabaseConfig {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  /** How connections are encrypted; undefined if they are not. */
  ssl?: Encryption | undefined;
}

/** The TLS options of a database connection. */
export interface Encryption {
  /** Whether the certificate has to be valid for the host. Without it, any certificate will do. */
  rejectUnauthorized: boolean;
  /** The certificates to trust, as PEM; undefined for those that Node.js trusts. */
  ca?: string | undefined;
}

/** Which versions get indexes for slices, and when. */
export interface IndexRules {
  /** Rows without an index that PostgreSQL reads in less time than a person notices. */
  rows: number;
  /** Milliseconds without a write after which a version is looked at. */
  delay: number;
}

type LogLevel = (typeof LOG_LEVELS)[number];

/** Everything the service reads from its environment, checked. */
export interface Config {
  db: DatabaseConfig;
  /** True if the server may listen although the schema is not what its migrations say. */
  skipMigrationCheck: boolean;
  /** Longest time one SQL statement may take, in milliseconds; 0 for no limit. */
  statementTimeout: number;
  /** Longest time to wait for a lock or for a turn beside other requests, in milliseconds; 0 for no limit. */
  waitTimeout: number;
  /** Number of connections to the database that the requests of one person may hold. */
  connectionsPerPerson: number;
  /** Number of event streams of one person. */
  streamsPerPerson: number;
  /** Longest request body, in bytes. */
  bodyLimit: number;
  /** Longest file that becomes a table, in bytes; 0 if files are not accepted. */
  fileLimit: number;
  /** Bytes that the rows of all answers may take in memory at a time. */
  memory: number;
  /** Whether rows that were read stay in memory for the next read, as long as there is room. */
  keepEntries: boolean;
  /** Which versions get indexes for slices, and when. */
  indexes: IndexRules;
  /** Timeout in milliseconds after which a client that reads nothing of its answer is disconnected; 0 for none. */
  readerTimeout: number;
  /** Interval of the heartbeats of an event stream, in milliseconds. */
  heartbeat: number;
  /** Number of shards of the forecast table of a new version; null if it is not distributed. */
  distribute: number | null;
  /** Where the events of all versions are sent to; null if nowhere. */
  webhook: WebhookRules | null;
  logLevel: LogLevel;
  /** Whether `GET /api/metrics` answers. */
  metrics: boolean;
  hosts: HostRules;
  /** Who a request comes from; null if the service signs nobody in. */
  signIn: SignInRules | null;
}

const MEGABYTE = 1_048_576;
const SSL_MODES = ['disable', 'require', 'verify-full'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const MILLISECONDS = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };
/** The shortest key that signs messages of the webhook, in bytes. */
const LEAST_SECRET = 16;
/** setTimeout and statement_timeout both end at a 32-bit integer. */
const LONGEST_TIMEOUT = 2_147_483_647;

/**
 * Reads and checks every environment variable of the service; `.env.example` describes each.
 * A variable set to the empty text counts as missing, except DB_PASSWORD. Files are read once, here.
 * @throws Error naming everything that is missing or cannot be used, all of it at once.
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const missing: string[] = [];
  const unusable: string[] = [];

  const required = (name: string) => {
    const value = env[name];
    if (!value) missing.push(name);
    return value ?? '';
  };
  const read = <T>(name: string, fallback: T, wanted: string, parse: (s: string) => T | null) => {
    const value = env[name];
    if (!value) return fallback;
    const parsed = parse(value.trim());
    if (parsed === null) unusable.push(`${name} must be ${wanted}, not "${value}"`);
    return parsed ?? fallback;
  };
  const port = (name: string, fallback: number) =>
    read(name, fallback, 'a port from 1 to 65535', (s) => wholeNumber(s, 1, 65_535));

  const name = (variable: string, of: string, parse: (s: string) => string | null) =>
    read<string | null>(variable, null, `the name of ${of}`, parse);
  const userHeader = name('PF_USER_HEADER', 'a header', headerName);
  const groupsDelimiter = read<string | null>(
    'PF_GROUPS_DELIMITER',
    null,
    'one sign, such as ; or |',
    (s) => (/^[!-/:-@[-`{-~]$/.test(s) ? s : null),
  );
  /** A name that contains the delimiter is never among the groups of a person. */
  const groupName = (s: string) => (s === '' || s.includes(groupsDelimiter ?? ',') ? null : s);
  const signIn = {
    trustedProxies: read(
      'PF_TRUSTED_PROXIES',
      addresses('127.0.0.0/8, ::1') ?? new BlockList(),
      'addresses or CIDR blocks with commas between',
      addresses,
    ),
    groupsHeader: name('PF_GROUPS_HEADER', 'a header', headerName),
    groupsDelimiter,
    planners: name('PF_PLANNERS', 'one group', groupName),
    admins: name('PF_ADMINS', 'one group', groupName),
  };
  // An operator who sets the first of these expects an effect.
  for (const [variable, needed] of [
    ['PF_TRUSTED_PROXIES', 'PF_USER_HEADER'],
    ['PF_GROUPS_HEADER', 'PF_USER_HEADER'],
    ['PF_GROUPS_DELIMITER', 'PF_GROUPS_HEADER'],
    ['PF_PLANNERS', 'PF_GROUPS_HEADER'],
    ['PF_ADMINS', 'PF_GROUPS_HEADER'],
    ['PF_WEBHOOK_SECRET', 'PF_WEBHOOK'],
  ] as const) {
    if (env[variable] && !env[needed]) {
      unusable.push(`${variable} has no effect without ${needed}`);
    }
  }

  /** The text of the file that a variable names; undefined if it names none. */
  const file = (variable: string): string | undefined => {
    const path = env[variable];
    if (!path) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      unusable.push(`${variable} names a file that cannot be read: ${reasonOf(error)}`);
      return undefined;
    }
  };
  const password = (): string => {
    // A file that an editor saved ends with a line break.
    const fromFile = file('DB_PASSWORD_FILE')?.replace(/\r?\n$/, '');
    if (env.DB_PASSWORD_FILE && env.DB_PASSWORD) {
      unusable.push('DB_PASSWORD and DB_PASSWORD_FILE are both set; set one of them');
    }
    return fromFile ?? env.DB_PASSWORD ?? '';
  };
  const encryption = (): Encryption | undefined => {
    const mode = read(
      'DB_SSLMODE',
      'disable',
      `one of ${SSL_MODES.join(', ')}`,
      (s) => SSL_MODES.find((known) => known === s) ?? null,
    );
    const ca = file('DB_SSLROOTCERT');
    if (ca !== undefined && !isCertificate(ca)) {
      unusable.push('DB_SSLROOTCERT must name a file with PEM certificates');
    }
    if (env.DB_SSLROOTCERT && mode !== 'verify-full') {
      unusable.push('DB_SSLROOTCERT has no effect without DB_SSLMODE=verify-full');
    }
    if (mode === 'disable') return undefined;
    if (env.DB_HOST?.startsWith('/')) {
      unusable.push(`DB_SSLMODE=${mode} needs a host in DB_HOST: a local socket is not encrypted`);
    }
    return { rejectUnauthorized: mode === 'verify-full', ca };
  };

  const webhook = (): WebhookRules | null => {
    if (!env.PF_WEBHOOK) return null;
    const url = webUrl(env.PF_WEBHOOK);
    // The value may contain a password, so the sentence does not repeat it.
    if (!url) unusable.push('PF_WEBHOOK must be a URL that begins with https:// or http://');
    const secret = secretBytes(required('PF_WEBHOOK_SECRET'));
    if (env.PF_WEBHOOK_SECRET && secret.length < LEAST_SECRET) {
      unusable.push(`PF_WEBHOOK_SECRET must have at least ${LEAST_SECRET} bytes`);
    }
    return url && { url, secret };
  };

  // The listener reads PORT itself, and would take one that it cannot use.
  port('PORT', 3010);
  const config: Config = {
    db: {
      host: required('DB_HOST'),
      port: port('DB_PORT', 5432),
      database: required('DB_NAME'),
      user: required('DB_USER'),
      password: password(),
      ssl: encryption(),
    },
    skipMigrationCheck: read('PF_SKIP_MIGRATION_CHECK', false, '1 or 0', yesOrNo),
    statementTimeout: read(
      'PF_STATEMENT_TIMEOUT',
      5 * MILLISECONDS.min,
      'a time such as "30s", "5min" or "1h"',
      duration,
    ),
    waitTimeout: read(
      'PF_WAIT_TIMEOUT',
      MILLISECONDS.min,
      'a time such as "30s", "5min" or "1h"',
      duration,
    ),
    connectionsPerPerson: read('PF_CONNECTIONS_PER_PERSON', 8, 'a number from 1 to 20', (s) =>
      wholeNumber(s, 1, 20),
    ),
    streamsPerPerson: read('PF_STREAMS_PER_PERSON', 100, 'a number from 1 to 1000', (s) =>
      wholeNumber(s, 1, 1000),
    ),
    bodyLimit: read('PF_BODY_LIMIT', 1_048_576, 'a number of bytes from 1 to 1073741824', (s) =>
      wholeNumber(s, 1, 1_073_741_824),
    ),
    fileLimit: read('PF_FILES', true, '1 or 0', yesOrNo)
      ? read('PF_FILE_LIMIT', 256 * MEGABYTE, 'a number of bytes from 1 to 1099511627776', (s) =>
          wholeNumber(s, 1, 1_099_511_627_776),
        )
      : 0,
    memory: read(
      'PF_MEMORY_MB',
      defaultMemory(),
      'a number of megabytes from 1 to 1048576',
      (s) => {
        const megabytes = wholeNumber(s, 1, 1_048_576);
        return megabytes && megabytes * MEGABYTE;
      },
    ),
    keepEntries: read('PF_KEEP_ENTRIES', true, '1 or 0', yesOrNo),
    indexes: {
      rows: read('PF_INDEX_ROWS', 100_000, 'a number of rows from 1 to 1000000000', (s) =>
        wholeNumber(s, 1, 1_000_000_000),
      ),
      delay: read(
        'PF_INDEX_DELAY',
        5 * MILLISECONDS.s,
        'a time such as "500ms", "30s" or "1min"',
        duration,
      ),
    },
    readerTimeout: read(
      'PF_READER_TIMEOUT',
      MILLISECONDS.min,
      'a time such as "30s", "5min" or "1h"',
      duration,
    ),
    heartbeat: read(
      'PF_HEARTBEAT',
      20 * MILLISECONDS.s,
      'a time such as "20s" or "1min"',
      (s) => duration(s) || null,
    ),
    distribute: read<number | null>(
      'PF_DISTRIBUTE',
      null,
      'a number of shards from 1 to 1000',
      (s) => wholeNumber(s, 1, 1000),
    ),
    webhook: webhook(),
    logLevel: read(
      'PF_LOG_LEVEL',
      'info',
      `one of ${LOG_LEVELS.join(', ')}`,
      (s) => LOG_LEVELS.find((level) => level === s) ?? null,
    ),
    metrics: read('PF_METRICS', true, '1 or 0', yesOrNo),
    signIn: userHeader === null ? null : { userHeader, ...signIn },
    hosts: {
      allowedHosts: read<string[] | null>(
        'PF_ALLOWED_HOSTS',
        null,
        'names of hosts with commas between',
        hostNames,
      ),
      // The listener reads these itself, and makes the URL of each request of them.
      hostHeader: env.HOST_HEADER?.toLowerCase() || 'host',
      schemeKnown: Boolean(env.ORIGIN || env.PROTOCOL_HEADER),
    },
  };
  if (env.DB_PASSWORD === undefined && !env.DB_PASSWORD_FILE) missing.push('DB_PASSWORD');

  const problems = [...unusable];
  if (missing.length > 0) {
    const variables = missing.length === 1 ? 'variable' : 'variables';
    problems.unshift(`missing environment ${variables}: ${missing.join(', ')}`);
  }
  if (problems.length > 0) throw new Error(`Cannot start: ${problems.join('; ')}`);
  return config;
}

const yesOrNo = (s: string): boolean | null => (s === '1' ? true : s === '0' ? false : null);

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

function webUrl(s: string): URL | null {
  if (!URL.canParse(s)) return null;
  const url = new URL(s);
  return ['https:', 'http:'].includes(url.protocol) ? url : null;
}

/** The bytes of a secret: after `whsec_`, as Standard Webhooks write it, they are in Base64. */
const secretBytes = (s: string): Buffer =>
  s.startsWith('whsec_') ? Buffer.from(s.slice(6), 'base64') : Buffer.from(s);

/** Names without ports; a name that is none makes the whole list unusable. */
function hostNames(s: string): string[] | null {
  const names = s.split(',').map((name) => hostName(name.trim()));
  return names.every((name) => name !== undefined) ? names : null;
}

const headerName = (s: string): string | null =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(s) ? s.toLowerCase() : null;

/** A list of addresses and CIDR blocks; an entry that is neither makes the whole list unusable. */
function addresses(s: string): BlockList | null {
  const list = new BlockList();
  for (const entry of s.split(',')) {
    const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry.trim()) ?? [];
    const longest = { 0: null, 4: 32, 6: 128 }[isIP(address)] ?? null;
    if (longest === null || Number(prefix ?? longest) > longest) return null;
    list.addSubnet(address, Number(prefix ?? longest), longest === 32 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function wholeNumber(s: string, least: number, most: number): number | null {
  if (!/^\d{1,15}$/.test(s)) return null;
  const value = Number(s);
  return value >= least && value <= most ? value : null;
}

/** A quarter of what this process may use: of its container's limit, or of the machine's memory. */
const defaultMemory = (): number =>
  // Without a limit the first is larger than any machine.
  Math.floor(Math.min(process.constrainedMemory() || Infinity, totalmem()) / 4);

/** A number alone is milliseconds, as in PostgreSQL's own statement_timeout. */
function duration(s: string): number | null {
  const [, digits, unit = 'ms'] = /^(\d{1,15})\s*(ms|s|min|h)?$/.exec(s) ?? [];
  const [, milliseconds] = Object.entries(MILLISECONDS).find(([name]) => name === unit) ?? [];
  if (digits === undefined || milliseconds === undefined) return null;
  const value = Number(digits) * milliseconds;
  return value <= LONGEST_TIMEOUT ? value : null;
}
