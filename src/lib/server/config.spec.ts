import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from './config';
import { whoSent } from './sign-in';

const needed = { DB_HOST: 'db', DB_NAME: 'plan', DB_USER: 'ann', DB_PASSWORD: 'secret' };

const AUTHORITY = 'tests/fixtures/tls/authority.pem';
const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The path of a file with a text. */
function fileOf(text: string): string {
  const path = join(folder, `file-${text.length}`);
  writeFileSync(path, text);
  return path;
}

describe('the configuration', () => {
  it('fills in the defaults of the contract', () => {
    expect(loadConfig(needed)).toEqual({
      db: { host: 'db', port: 5432, database: 'plan', user: 'ann', password: 'secret' },
      skipMigrationCheck: false,
      statementTimeout: 300_000,
      waitTimeout: 60_000,
      connectionsPerPerson: 8,
      streamsPerPerson: 100,
      bodyLimit: 1_048_576,
      fileLimit: 268_435_456,
      logLevel: 'info',
      metrics: true,
      hosts: { allowedHosts: null, hostHeader: 'host', schemeKnown: false },
      memory: expect.any(Number),
      keepEntries: true,
      indexes: { rows: 100_000, delay: 5_000 },
      readerTimeout: 60_000,
      heartbeat: 20_000,
      distribute: null,
      webhook: null,
      signIn: null,
    });
  });

  it('names every missing variable at once', () => {
    expect(() => loadConfig({ DB_HOST: '' })).toThrow(
      'missing environment variables: DB_HOST, DB_NAME, DB_USER, DB_PASSWORD',
    );
    expect(() => loadConfig({ ...needed, DB_NAME: undefined })).toThrow(
      'missing environment variable: DB_NAME',
    );
  });

  it('accepts no files with PF_FILES=0', () => {
    expect(loadConfig({ ...needed, PF_FILES: '0' }).fileLimit).toBe(0);
    expect(loadConfig({ ...needed, PF_FILE_LIMIT: '1000' }).fileLimit).toBe(1000);
  });

  it('takes an empty password where the variable is set', () => {
    expect(loadConfig({ ...needed, DB_PASSWORD: '' }).db.password).toBe('');
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '70000'],
    ['PORT', '30x'],
    ['DB_PORT', '-1'],
    ['PF_FILES', 'yes'],
    ['PF_FILE_LIMIT', '256MB'],
    ['DB_SSLMODE', 'prefer'],
    ['DB_SSLMODE', 'verify-ca'],
    ['PF_SKIP_MIGRATION_CHECK', 'yes'],
    ['PF_STATEMENT_TIMEOUT', 'five minutes'],
    ['PF_STATEMENT_TIMEOUT', '9999999999h'],
    ['PF_WAIT_TIMEOUT', 'soon'],
    ['PF_DISTRIBUTE', 'yes'],
    ['PF_DISTRIBUTE', '0'],
    ['PF_BODY_LIMIT', '1MB'],
    ['PF_LOG_LEVEL', 'loud'],
    ['PF_METRICS', 'yes'],
    ['PF_ALLOWED_HOSTS', 'plan.example.com,'],
    ['PF_ALLOWED_HOSTS', 'https://plan.example.com'],
    ['PF_USER_HEADER', 'x-user, x-name'],
    ['PF_GROUPS_HEADER', 'x groups'],
    ['PF_PLANNERS', 'planners, admins'],
    ['PF_GROUPS_DELIMITER', ';;'],
    ['PF_GROUPS_DELIMITER', 'a'],
    ['PF_ADMINS', 'planners,admins'],
    ['PF_ADMINS', ' '],
    ['PF_TRUSTED_PROXIES', 'proxy.example.com'],
    ['PF_TRUSTED_PROXIES', '10.0.0.1,'],
    ['PF_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['PF_TRUSTED_PROXIES', 'fd00::/129'],
    ['PF_TRUSTED_PROXIES', '10.0.0.0/'],
    ['PF_TRUSTED_PROXIES', '10.0.0.0-10.0.0.9'],
    ['PF_MEMORY_MB', '0'],
    ['PF_MEMORY_MB', '1 GB'],
    ['PF_READER_TIMEOUT', 'a minute'],
    ['PF_HEARTBEAT', '0'],
    ['PF_INDEX_ROWS', '0'],
    ['PF_INDEX_DELAY', 'later'],
  ])('refuses %s=%s, naming it', (name, value) => {
    expect(() => loadConfig({ ...needed, [name]: value })).toThrow(`${name} must be`);
  });

  it.each([
    ['PF_TRUSTED_PROXIES', '10.0.0.1', 'PF_USER_HEADER'],
    ['PF_GROUPS_HEADER', 'x-groups', 'PF_USER_HEADER'],
    ['PF_GROUPS_DELIMITER', ';', 'PF_GROUPS_HEADER'],
    ['PF_PLANNERS', 'planners', 'PF_GROUPS_HEADER'],
    ['PF_ADMINS', 'admins', 'PF_GROUPS_HEADER'],
    ['PF_WEBHOOK_SECRET', 'a key of 16 bytes', 'PF_WEBHOOK'],
  ])('refuses %s=%s without %s', (name, value, other) => {
    expect(() => loadConfig({ ...needed, [name]: value })).toThrow(
      `${name} has no effect without ${other}`,
    );
  });

  it('reads where events are sent to, and the key that signs them', () => {
    const webhook = (PF_WEBHOOK_SECRET: string) =>
      loadConfig({ ...needed, PF_WEBHOOK: 'https://example.com/hook', PF_WEBHOOK_SECRET }).webhook;
    expect(webhook('a key of 16 bytes')).toEqual({
      url: new URL('https://example.com/hook'),
      secret: Buffer.from('a key of 16 bytes'),
    });
    expect(webhook('whsec_MDEyMzQ1Njc4OWFiY2RlZg==')?.secret).toEqual(
      Buffer.from('0123456789abcdef'),
    );
    expect(loadConfig(needed).webhook).toBeNull();
  });

  it.each([
    [{ PF_WEBHOOK: 'https://example.com/hook' }, 'PF_WEBHOOK_SECRET'],
    [
      { PF_WEBHOOK: 'https://example.com/hook', PF_WEBHOOK_SECRET: 'short' },
      'PF_WEBHOOK_SECRET must have at least 16 bytes',
    ],
    [
      { PF_WEBHOOK: 'ftp://ann:s3cret@example.com', PF_WEBHOOK_SECRET: 'a key of 16 bytes' },
      'PF_WEBHOOK must be a URL that begins with https:// or http://',
    ],
  ])('refuses a webhook that cannot work: %j', (env, sentence) => {
    const load = () => loadConfig({ ...needed, ...env });
    expect(load).toThrow(sentence);
    expect(load).not.toThrow('s3cret');
  });

  it('encrypts connections only if DB_SSLMODE asks for it', () => {
    const ssl = (env: Record<string, string>) => loadConfig({ ...needed, ...env }).db.ssl;
    expect(ssl({})).toBeUndefined();
    expect(ssl({ DB_SSLMODE: 'disable' })).toBeUndefined();
    expect(ssl({ DB_SSLMODE: 'require' })).toEqual({ rejectUnauthorized: false });
    expect(ssl({ DB_SSLMODE: 'verify-full' })).toEqual({ rejectUnauthorized: true });
    expect(ssl({ DB_SSLMODE: 'verify-full', DB_SSLROOTCERT: AUTHORITY })).toEqual({
      rejectUnauthorized: true,
      ca: readFileSync(AUTHORITY, 'utf8'),
    });
  });

  it.each([
    [{ DB_SSLROOTCERT: AUTHORITY }, 'DB_SSLROOTCERT has no effect without DB_SSLMODE=verify-full'],
    [
      { DB_SSLMODE: 'require', DB_SSLROOTCERT: AUTHORITY },
      'DB_SSLROOTCERT has no effect without DB_SSLMODE=verify-full',
    ],
    [
      { DB_SSLMODE: 'verify-full', DB_SSLROOTCERT: fileOf('no certificate') },
      'DB_SSLROOTCERT must name a file with PEM certificates',
    ],
    [
      { DB_SSLMODE: 'verify-full', DB_SSLROOTCERT: join(folder, 'nowhere.pem') },
      'DB_SSLROOTCERT names a file that cannot be read',
    ],
    [{ DB_SSLMODE: 'require', DB_HOST: '/run/postgresql' }, 'a local socket is not encrypted'],
    [
      { DB_PASSWORD_FILE: fileOf('secret') },
      'DB_PASSWORD and DB_PASSWORD_FILE are both set; set one of them',
    ],
    [
      { DB_PASSWORD: '', DB_PASSWORD_FILE: join(folder, 'nowhere') },
      'DB_PASSWORD_FILE names a file that cannot be read',
    ],
  ])('refuses %o', (env, problem) => {
    expect(() => loadConfig({ ...needed, ...env })).toThrow(problem);
  });

  it('reads the password from a file, less the line break at its end', () => {
    const { DB_PASSWORD: _, ...others } = needed;
    const password = (text: string) =>
      loadConfig({ ...others, DB_PASSWORD_FILE: fileOf(text) }).db.password;
    expect(password('from a file')).toBe('from a file');
    expect(password(' two words \n')).toBe(' two words ');
    expect(password('of Windows\r\n')).toBe('of Windows');
    expect(password('')).toBe('');
  });

  it.each([
    ['127.0.0.1', undefined, true],
    ['127.1.2.3', undefined, true],
    ['::1', undefined, true],
    ['::ffff:127.0.0.1', undefined, true],
    ['10.0.0.1', undefined, false],
    ['::ffff:10.0.0.1', undefined, false],
    ['10.9.8.7', '10.0.0.0/8', true],
    ['::ffff:10.9.8.7', ' 192.168.0.1 , 10.0.0.0/8 ', true],
    ['11.0.0.1', '10.0.0.0/8', false],
    ['127.0.0.1', '10.0.0.0/8', false],
    ['fd00::12', 'fd00::/64', true],
    ['fd01::12', 'fd00::/64', false],
    ['fe80::1%eth0', 'fe80::1', true],
    [undefined, undefined, false],
  ])('trusts a peer at %s with PF_TRUSTED_PROXIES=%s: %s', (remoteAddress, proxies, trusted) => {
    const { signIn } = loadConfig({
      ...needed,
      PF_USER_HEADER: 'X-User',
      PF_TRUSTED_PROXIES: proxies,
    });
    const sent = () =>
      whoSent({ rawHeaders: ['x-user', 'ann'], socket: { remoteAddress } }, signIn);
    if (trusted) expect(sent()).toMatchObject({ user: 'ann' });
    else expect(sent).toThrow(/not trusted/);
  });

  it.each([
    ['250', 250],
    ['30s', 30_000],
    ['5 min', 300_000],
    ['1h', 3_600_000],
    ['0', 0],
  ])('reads a statement timeout of %s', (value, milliseconds) => {
    const config = loadConfig({ ...needed, PF_STATEMENT_TIMEOUT: value });
    expect(config.statementTimeout).toBe(milliseconds);
  });

  it('reads hosts without their ports, and the headers set by a proxy', () => {
    const { hosts } = loadConfig({
      ...needed,
      PF_ALLOWED_HOSTS: 'Plan.example.com:443, plan',
      HOST_HEADER: 'X-Forwarded-Host',
      PROTOCOL_HEADER: 'x-forwarded-proto',
    });
    expect(hosts).toEqual({
      allowedHosts: ['plan.example.com', 'plan'],
      hostHeader: 'x-forwarded-host',
      schemeKnown: true,
    });
  });

  it('gives rows a quarter of the memory of the process, and never more than the machine has', () => {
    const { memory } = loadConfig(needed);
    expect(memory).toBeGreaterThan(0);
    expect(memory).toBeLessThanOrEqual(totalmem() / 4);
    expect(loadConfig({ ...needed, PF_MEMORY_MB: '256' }).memory).toBe(256 * 1_048_576);
  });
});
