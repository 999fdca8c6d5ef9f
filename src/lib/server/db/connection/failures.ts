/** Maps failures of the database to statuses and sentences. */
import pg from 'pg';
import type { Blame } from '../../errors';
import { AppError, UnstorableCharacter } from '../../errors';

/** The SQLSTATE codes that the service handles, by name. */
export const SQLSTATE = {
  uniqueViolation: '23505',
  undefinedColumn: '42703',
  undefinedTable: '42P01',
  duplicateColumn: '42701',
  duplicateTable: '42P07',
  duplicateObject: '42710',
  insufficientPrivilege: '42501',
  invalidTableDefinition: '42P16',
  dependentObjects: '2BP01',
  tooManyColumns: '54011',
  untranslatableCharacter: '22P05',
  undefinedFunction: '42883',
  ambiguousFunction: '42725',
  datatypeMismatch: '42804',
  indeterminateDatatype: '42P18',
  indeterminateCollation: '42P22',
  wrongObjectType: '42809',
  featureNotSupported: '0A000',
  programLimitExceeded: '54000',
  tooManyArguments: '54023',
  cannotCoerce: '42846',
  numericOutOfRange: '22003',
  datetimeOverflow: '22008',
  statementTooComplex: '54001',
  deadlockDetected: '40P01',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  readOnlyTransaction: '25006',
  serializationFailure: '40001',
  idleInTransaction: '25P03',
  notAuthorized: '28000',
  lockNotAvailable: '55P03',
  connectionFailure: '08006',
  diskFull: '53100',
  outOfMemory: '53200',
  tooManyConnections: '53300',
  limitExceeded: '53400',
  internalError: 'XX000',
  /** Raised by `pf.refuse_lookup`, with a sentence for people. */
  lookupRefused: 'PF001',
} as const;

/** Returns the SQLSTATE of a database error; undefined for any other error. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined;

/** Seconds after which a request that was turned away may try again. */
export const RETRY_AFTER = 5;

const ENDED =
  'The database closed the connection of this request; nothing was changed, try again in a moment';

/**
 * Failures that do not depend on the statement: status, sentence, and for 503 the seconds after which to try
 * again (docs/contract/09-errors-limits-guards.md).
 */
const FAILURES: Readonly<Record<string, [status: number, sentence: string, retryAfter?: number]>> =
  {
    [SQLSTATE.queryCanceled]: [
      500,
      'The database ended this request, which ran longer than PF_STATEMENT_TIMEOUT allows; nothing was changed',
    ],
    [SQLSTATE.limitExceeded]: [
      500,
      'This request needs more temporary space than the database allows; nothing was changed. Choose fewer rows, or raise temp_file_limit',
    ],
    [SQLSTATE.deadlockDetected]: [
      409,
      'This change conflicted with another one; nothing was changed, try again',
    ],
    [SQLSTATE.lockNotAvailable]: [
      503,
      'A lock was not free within PF_WAIT_TIMEOUT; nothing was changed, try again in a moment',
      5,
    ],
    [SQLSTATE.diskFull]: [
      503,
      'The disk of the database is full; nothing was changed. Free some space there first',
      60,
    ],
    [SQLSTATE.outOfMemory]: [
      503,
      'The database is out of memory; nothing was changed, try again in a moment',
      10,
    ],
    [SQLSTATE.tooManyConnections]: [
      503,
      'The database accepts no more connections at the moment; nothing was changed, try again in a moment',
      5,
    ],
    [SQLSTATE.idleInTransaction]: [
      503,
      'The service stopped responding during this request; nothing was changed, try again',
      1,
    ],
    [SQLSTATE.adminShutdown]: [503, ENDED, 5],
    [SQLSTATE.crashShutdown]: [503, ENDED, 5],
    [SQLSTATE.cannotConnectNow]: [
      503,
      'The database is starting or stopping; nothing was changed, try again in a moment',
      5,
    ],
    [SQLSTATE.readOnlyTransaction]: [
      503,
      'The database accepts no changes at the moment: it is a standby or read-only; nothing was changed, try again in a moment',
      10,
    ],
    [SQLSTATE.serializationFailure]: [
      503,
      'The database cancelled this request because of a conflict; nothing was changed, try again',
      1,
    ],
  };

/** Matches error contexts inside a function or on another server. */
const INSIDE = /\bfunction\b|^remote SQL command/m;

/**
 * Returns whether an error comes from inside a function or from another server, not from the statement's own
 * text.
 */
export const isFromInside = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && INSIDE.test(error.where ?? '');

/**
 * Returns the function that a statement called and from which an error comes, as `regprocedure` names it; undefined for
 * an error of no function.
 */
export function callerOf(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const calls = [...(error.where ?? '').matchAll(/\bfunction (.+\)) line \d+ /g)];
  return calls.at(-1)?.[1];
}

/**
 * Classes of errors unrelated to the objects that a statement reads: constraints, transactions, resources,
 * cancelled statements, failures of the server, and refusals of the service itself.
 */
const NOT_OF_OBJECT = ['23', '25', '40', '53', '57', '58', 'F0', 'PF', 'XX'];

/**
 * Returns whether an error may come from an object that a statement reads: a view that raises an error, a
 * foreign server that is unreachable, a revoked privilege.
 */
export const isOfObject = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code !== undefined &&
  !NOT_OF_OBJECT.includes(error.code.slice(0, 2)) &&
  !(error.code in FAILURES) &&
  unstorable(error) === undefined &&
  workerOf(error) === undefined;

/**
 * Returns the character of a statement that the encoding of the database does not have; undefined for other
 * errors.
 */
function unstorable({ code, message }: pg.DatabaseError): string | undefined {
  if (code !== SQLSTATE.untranslatableCharacter) return undefined;
  const bytes = Array.from(message.matchAll(/\b0x([0-9a-f]{2})\b/gi), ([, hex = '']) =>
    Number.parseInt(hex, 16),
  );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes)) || undefined;
  } catch {
    // The database has a character that Unicode does not have.
    return undefined;
  }
}

/** Returns a failure in words that a person can act on; any other error unchanged. */
export function forPeople(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return error;
  const state = error.code;
  // A forecast or source table may be dropped; the service's own tables are missing only if nothing was
  // migrated.
  const isMissing = state === SQLSTATE.undefinedTable && !isFromInside(error);
  if (isMissing && !/"pf\.(?!fc_)/.test(error.message)) {
    return new AppError(404, 'A table that this request needs no longer exists', { cause: error });
  }
  if (state === SQLSTATE.lookupRefused) return new AppError(409, error.message, { cause: error });
  const character = unstorable(error);
  if (character !== undefined) return new UnstorableCharacter(character, { cause: error });
  const worker = workerOf(error);
  if (worker !== undefined) {
    return new AppError(
      503,
      `${workerAway(worker)}; nothing was changed, try again when it is back`,
      { cause: error, retryAfter: 10 },
    );
  }
  const failure = FAILURES[state];
  if (!failure) return error;
  const [status, sentence, retryAfter] = failure;
  const blame: Blame = retryAfter === undefined ? {} : { retryAfter };
  return new AppError(status, sentence, { ...blame, cause: error });
}

/** @param worker its host and port */
export const workerAway = (worker: string): string =>
  `The worker ${worker} of the database's cluster does not answer`;

/** Returns the unreachable worker that an error names, as host and port; undefined for any other error. */
function workerOf({ code, message, where }: pg.DatabaseError): string | undefined {
  // Citus could not reach the worker, or lost the connection.
  if (code === SQLSTATE.connectionFailure) return /\bnode (?:.*@)?(\S+:\d+)\b/.exec(message)?.[1];
  // The worker has ended the session.
  if (code !== SQLSTATE.adminShutdown) return undefined;
  return /while executing command on (\S+:\d+)/.exec(where ?? '')?.[1];
}

/**
 * Returns why no encrypted or no unencrypted connection can be made, with the names of the variables to
 * change; undefined for any other error.
 */
export function encryptionProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.message === 'The server does not support SSL connections') {
    return 'the server does not offer encrypted connections, and DB_SSLMODE asks for them';
  }
  if (sqlState(error) === SQLSTATE.notAuthorized && error.message.endsWith('no encryption')) {
    return 'the server may want encrypted connections: set DB_SSLMODE to require or verify-full';
  }
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return "the server's certificate is for another host than DB_HOST";
  }
  return CERTIFICATE_ERROR.test(code)
    ? "the server's certificate is not trusted; DB_SSLROOTCERT names the file of the authority to trust"
    : undefined;
}

/** OpenSSL codes for a certificate that cannot be verified. */
const CERTIFICATE_ERROR = /CERT|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|^CRL_/;

/**
 * Returns the error for a failed connection: 503 if it may be temporary, 500 if a setting has to be changed.
 */
export function unreachable(error: unknown): AppError {
  const known = forPeople(error);
  if (known instanceof AppError) return known;
  const sentence = 'The database cannot be reached';
  const problem = encryptionProblem(error);
  if (problem) return new AppError(500, sentence, { cause: new Error(problem, { cause: error }) });
  // A server that answers with a state is reachable: the password is wrong, or the database does not exist.
  if (sqlState(error) !== undefined) return new AppError(500, sentence, { cause: error });
  return new AppError(503, `${sentence}; try again in a moment`, { cause: error, retryAfter: 5 });
}

/**
 * Returns the error for a connection that was lost during a request.
 *
 * @param changed whether something may have been committed: a single statement is its own transaction
 */
export const connectionLost = (cause: unknown, changed: 'nothing' | 'perhaps'): AppError =>
  new AppError(
    503,
    'The connection to the database was lost during this request; ' +
      (changed === 'nothing'
        ? 'nothing was changed, try again in a moment'
        : 'try again in a moment'),
    { cause, retryAfter: 5 },
  );
