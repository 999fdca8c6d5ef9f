/** Reads request bodies as JSON, within their limit. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Endpoint } from '../../contract/endpoints';
import { IMPORT_BODY_LIMIT } from '../../contract/imports';
import type { Me } from '../../contract/me';
import { IDEMPOTENCY_KEY_HEADER, isObject } from '../../contract/primitives';
import { UnusableValue } from '../../contract/unusable';
import type { Config } from '../config';
import type { WriteKey } from '../db/log/idempotency';
import type { Place } from '../errors';
import { AppError, faultAt, reasonOf, UnstorableCharacter } from '../errors';
import { headerList } from '../header-list';

/** Whether the headers of a request announce a body. Node passes on no other. */
const hasBody = ({ headers }: Request): boolean =>
  Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding');

/**
 * Holds a body to JSON, or to the types of a file, by its content type, even if no handler reads it.
 * @throws AppError 415
 */
export function requireBodyType(request: Request, file?: readonly string[]): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (!hasBody(request) || (type !== undefined && (file ?? ['application/json']).includes(type)))
    return;
  if (file === undefined) {
    throw new AppError(415, 'Send the body as JSON, with content-type: application/json');
  }
  throw new AppError(
    415,
    `Send the file itself as the body, with content-type: ${file.join(' or ')}`,
  );
}

/**
 * Refuses a body by the length that its client announces, before the client sends it.
 * @throws AppError 413
 */
export function requireLength(
  { headers }: Request,
  endpoint: Pick<Endpoint, 'file' | 'longBody'> | undefined,
  { bodyLimit, fileLimit }: Pick<Config, 'bodyLimit' | 'fileLimit'>,
): void {
  const jsonLimit = bodyLimit * (endpoint?.longBody ? IMPORT_BODY_LIMIT : 1);
  const limit = endpoint?.file === undefined ? jsonLimit : fileLimit;
  if (Number(headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
}

const tooLarge = (limit: number): AppError =>
  new AppError(413, `The body is larger than ${limit} bytes`);

/** The parts of a request that reading its body needs. */
interface Received {
  request: Request;
  url: URL;
  locals: {
    config: { bodyLimit: number };
    me: Me;
    /** Set to the fields that the schema does not know, as {@link headerList} has them. */
    bodySkipped?: string;
    /** Set to the body, parsed. */
    sent?: unknown;
  };
}

/**
 * The JSON body of a request, held to the schema of its endpoint and to the configured size, and its key if the
 * endpoint takes one. No body says as much as `{}` if it may be left out. Both are undefined for an endpoint without a
 * body.
 *
 * @throws AppError 413 if it is too large, 400 if there is none, it does not parse or does not fit, naming the field, and
 * for a key that cannot be one
 */
export async function readBody(
  received: Received,
  { request: schema, longBody, optionalBody, writesRows, takesKey }: Endpoint,
): Promise<{ body: unknown; key: WriteKey | undefined }> {
  if (schema === undefined) return { body: undefined, key: undefined };
  const { request, locals } = received;
  const limit = locals.config.bodyLimit * (longBody ? IMPORT_BODY_LIMIT : 1);
  const text = await readText(request, limit);
  const key = writesRows || takesKey ? writeKey(received, text) : undefined;
  return { key, body: fitted(optionalBody && text.trim() === '' ? '{}' : text, schema, locals) };
}

export type { WriteKey };

function writeKey({ request, url, locals: { me } }: Received, body: string): WriteKey | undefined {
  const key = request.headers.get(IDEMPOTENCY_KEY_HEADER);
  if (key === null) return undefined;
  if (!/^[ -~]{1,200}$/.test(key)) {
    throw new AppError(
      400,
      `${IDEMPOTENCY_KEY_HEADER} must be 1 to 200 printable ASCII characters`,
      { field: IDEMPOTENCY_KEY_HEADER },
    );
  }
  const digest = createHash('sha256').update(body);
  // A stored answer is for the person who sent the write. No name contains a line break.
  if (me.user !== null) digest.update(`\n${me.user}`);
  return { key, path: `${request.method} ${url.pathname}`, digest: digest.digest('hex') };
}

/**
 * A body, parsed and held to its schema.
 *
 * @param locals takes the fields that the schema does not know. Whoever is signed in is the `pf_user` of
 * the body, whatever it says
 * @throws AppError 400 naming the field
 */
function fitted(text: string, schema: v.GenericSchema, locals: Received['locals']): unknown {
  const { user } = locals.me;
  // If the name is all that a request says, there is nothing left to send.
  const isLeftOut = user !== null && schema.type !== 'array' && text.trim() === '';
  const sent = isLeftOut ? {} : parse(text);
  locals.sent = sent;
  const body = user !== null && isObject(sent) ? { ...sent, pf_user: user } : sent;
  // A list has no fields, so it would pass if every field may be left out.
  if (schema.type !== 'array' && Array.isArray(body)) {
    throw new AppError(400, 'The body must be a JSON object');
  }
  const result = v.safeParse(schema, body);
  // Also if a check has refused it: a misspelled field may be the reason.
  if (result.typed) locals.bodySkipped = headerList(unreadFields(sent, result.output));
  if (result.success) return result.output;
  const [issue] = result.issues;
  const place = placeOf(issue);
  if (place && issue.received === 'undefined') {
    const { words, ...blame } = place;
    throw new AppError(400, `${words} is missing`, blame);
  }
  throw place ? faultAt(place, 400, issue.message) : new AppError(400, issue.message);
}

/**
 * A refusal that names the field of the body, or the parameter of the address, that holds the character; the
 * same refusal if none does.
 */
export function locatedCharacter(
  refusal: UnstorableCharacter,
  sent: unknown,
  { searchParams }: URL,
): UnstorableCharacter {
  const { character, cause } = refusal;
  const path =
    pathOfText(sent, character) ?? pathOfText(Object.fromEntries(searchParams), character);
  if (path === undefined) return refusal;
  const [first, name] = path;
  const column = first === 'set' || first === 'slice' ? name : undefined;
  return new UnstorableCharacter(character, { cause, field: path.join('.'), column });
}

/** The path to the first text or name in a JSON value that contains some text. */
function pathOfText(value: unknown, wanted: string): string[] | undefined {
  if (typeof value === 'string') return value.includes(wanted) ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const path = name.includes(wanted) ? [] : pathOfText(inner, wanted);
    if (path) return [name, ...path];
  }
  return undefined;
}

/** Dotted paths of the fields that a schema has not read from a body, in the order of the body. */
function unreadFields(sent: unknown, read: unknown, at = ''): string[] {
  if (sent === read) return [];
  if (Array.isArray(sent) && Array.isArray(read)) {
    return sent.flatMap((value, i) => unreadFields(value, read[i], `${at}${i}.`));
  }
  if (!isObject(sent) || !isObject(read) || read instanceof UnusableValue) return [];
  const output = new Map(Object.entries(read));
  return Object.entries(sent).flatMap(([name, value]) =>
    output.has(name) ? unreadFields(value, output.get(name), `${at}${name}.`) : `${at}${name}`,
  );
}

/**
 * Where in the body a fault is; undefined if it is the body itself. An entry that names a column is
 * described by the column, every other field by its path.
 */
function placeOf(issue: v.BaseIssue<unknown>): Place | undefined {
  const path = issue.path ?? [];
  const [entry, ...rest] = path;
  if (entry === undefined) return undefined;
  const field = path.map(({ key }) => String(key)).join('.');
  const column = path.map(columnOf).find((name) => name !== undefined);
  const cname = entry.type === 'array' ? columnOf(entry) : undefined;
  const words =
    cname === undefined
      ? field
      : [`Column "${cname}"`, ...rest.map(({ key }) => String(key))].join(', ');
  return { words, field, column };
}

/** The column that one step of a path names: by its key in a `slice` or `set`, or by its `cname`. */
function columnOf({ type, key, value }: v.IssuePathItem): string | undefined {
  if (type === 'map') return typeof key === 'string' ? key : undefined;
  const named = v.safeParse(v.object({ cname: v.string() }), value);
  return named.success ? named.output.cname : undefined;
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new AppError(400, 'The body is missing; send JSON');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError(400, `The body is not JSON: ${reasonOf(error)}`);
  }
}

/** Number of bytes of a refused body that the service still reads, because a client reads no answer while it sends. */
const DISCARDED = 16 * 1_048_576;

async function readText(request: Request, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size <= limit) chunks.push(chunk);
      else if (size > limit + DISCARDED) break;
    }
  } catch (error) {
    throw new AppError(400, 'The client closed the connection before its body was complete', {
      cause: error,
    });
  }
  if (size > limit) throw tooLarge(limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new AppError(400, 'The body is not UTF-8 text');
  }
}

/**
 * Drains an unread body; otherwise the connection hangs.
 * @param most bytes after which the connection is closed; 16 MB if they are fewer
 */
export async function discardBody(request: Request, most = 0): Promise<void> {
  if (request.bodyUsed) return;
  const limit = Math.max(most, DISCARDED);
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > limit) break;
    }
  } catch {
    // The client is gone. Its answer must be made all the same, since it holds memory until it is sent.
  }
}
