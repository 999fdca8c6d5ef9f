/** The OpenAPI document, generated from the endpoints and their schemas. */
import type { JsonSchema } from '@valibot/to-json-schema';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { type Endpoint, ENDPOINTS } from './endpoints';
import { NAMED_SCHEMAS } from './named-schemas';
import {
  ARROW,
  BODY_SKIPPED_HEADER,
  COLUMN_VALUE,
  CSV,
  ErrorAnswer,
  IDEMPOTENCY_KEY_HEADER,
  LINES,
  PREFER_HEADER,
  PREFERENCE_APPLIED_HEADER,
  RETURN_MINIMAL,
  REVISION_HEADER,
  TIMELINE_HEADER,
} from './primitives';

const REFUSALS: Record<number, string> = {
  400: 'A body or parameter is invalid',
  401: 'The service signs people in, and the request names nobody, or its token is wrong, revoked or expired',
  403: 'The version is closed, the person lacks the required role, or a page of another site sent the write',
  404: 'The source, version, view, profile, formula, comment, review, log entry, table or template does not exist',
  409: 'It conflicts with the present state',
  413: 'The body is too large',
  415: 'The body has another type than the endpoint takes',
  421: 'The host is not accepted',
  422: 'Well-formed, but cannot be carried out',
  423: 'A lock or a review holds rows of this change',
  429: 'Other requests or event streams of the same person are too many, or wrong tokens from the same address; try again later',
  500: 'The service failed',
  501: 'Not available yet',
  503: 'Overloaded, or the database does not answer; try again later',
};

const HEADERS: Record<string, string> = {
  ETag: 'Identifies the rows; sent in If-None-Match, the answer is 304 while they are unchanged',
  'X-Row-Count': 'Number of rows',
  'Content-Length': 'Bytes of the body',
  [TIMELINE_HEADER]:
    'The history of the database that was read. Log ids of another history may name other entries. Absent if the database does not tell it',
  [REVISION_HEADER]:
    'The revision of the version: 0, and another text after each change of its rows that the service did not make',
  'X-Slice-Skipped':
    'Slice keys that are not dimension or date columns, percent-encoded, separated by commas',
  [BODY_SKIPPED_HEADER]:
    'Fields of the body that this endpoint does not know: dotted paths, percent-encoded, separated by commas. Also on refusals',
  [PREFERENCE_APPLIED_HEADER]: `${RETURN_MINIMAL} if the request preferred that`,
  'Retry-After': 'Seconds after which the same request may succeed',
};

const WRITE_KEY = {
  name: IDEMPOTENCY_KEY_HEADER,
  in: 'header',
  required: false,
  description:
    'Makes the write only once: for 24 hours, the same key on the same path with the same body returns the first answer. Another body is refused with 409',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[ -~]*$' },
};

const PREFERENCE = {
  name: PREFER_HEADER,
  in: 'header',
  required: false,
  description: `${RETURN_MINIMAL} leaves the keys out of the answer`,
  schema: { type: 'string' },
};

const KNOWN_TAG = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the rows that the client has',
  schema: { type: 'string' },
};

/** Whether an endpoint changes something: writes may conflict with each other. */
const isWrite = ({ method, role }: Endpoint): boolean => method !== 'get' && role !== 'reader';

const isConditional = ({ headers }: Endpoint['answer']): boolean =>
  headers?.includes('ETag') ?? false;

/**
 * Returns the OpenAPI 3.1 document of the API, generated from the schemas with which the service validates.
 *
 * @param version of the build
 */
export function openApiDocument(version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of ENDPOINTS) {
    (paths[`/api${endpoint.path}`] ??= {})[endpoint.method] = describeEndpoint(endpoint);
  }
  const responses = Object.fromEntries(
    Object.entries(REFUSALS).map(([status, description]) => [
      status,
      {
        description,
        ...(['429', '503'].includes(status) ? { headers: headersOf(['Retry-After']) } : {}),
        content: jsonContent(ErrorAnswer),
      },
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Forecast Pivot',
      version,
      description:
        'Scenario forecasting over tables of a database. If PF_USER_HEADER is set, a proxy signs people in, programs send a token, and each endpoint needs the role that it names. If not, everybody may do everything, and the acting user is the field pf_user.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that answers this document' }],
    security: [{ [TOKEN]: [] }, SIGNED_IN],
    paths,
    components: {
      securitySchemes: {
        [TOKEN]: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of a program, pf_…, if a proxy signs people in',
        },
      },
      responses,
      schemas: componentsOf({ paths, responses }),
    },
  };
}

/** The name of the security scheme of tokens, and the requirement of people: none, since the proxy signs them in. */
const TOKEN = 'token';
const SIGNED_IN = {};

/**
 * The name of an endpoint's operation, unique: `GET /versions/{id}/log` is `getVersionLog`. A step before a parameter
 * is in the singular.
 */
function operationId({ method, path }: Endpoint): string {
  const steps = path.split(/[/.]/).filter(Boolean);
  const words = steps.flatMap((step, i) => {
    if (step.startsWith('{')) return [];
    const isOne = steps[i + 1]?.startsWith('{') ?? false;
    return (isOne ? step.replace(/ies$/, 'y').replace(/s$/, '') : step).split('-');
  });
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const COMPONENT = '#/components/schemas/';
const NAMES = new Map(Array.from(NAMED_SCHEMAS, ([name, schema]) => [schema, name]));

/** The named schemas to which a part of the document refers, and those to which these refer. */
function componentsOf(part: unknown): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {};
  const open = [part];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [, name = ''] of JSON.stringify(next).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = NAMED_SCHEMAS.get(name);
      if (!schema || name in found) continue;
      found[name] = jsonSchema(schema);
      open.push(found[name]);
    }
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describeEndpoint(endpoint: Endpoint) {
  const {
    method,
    path,
    role,
    forPeople,
    territories,
    summary,
    query = {},
    request,
    file,
    writesRows,
    takesKey,
    minimal,
    answer,
    refusals,
  } = endpoint;
  const required = !endpoint.optionalBody;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: /id$/.test(name) ? { type: 'integer', minimum: 1 } : { type: 'string' },
    })),
    ...Object.entries(query).map(([name, { schema, description, required = false }]) => ({
      name,
      in: 'query',
      required,
      description,
      schema: jsonSchema(schema, 'output'),
    })),
    ...(writesRows || takesKey ? [WRITE_KEY] : []),
    ...(minimal ? [PREFERENCE] : []),
    ...(isConditional(answer) ? [KNOWN_TAG] : []),
  ];
  const statuses = [
    ...refusals,
    ...(role === null ? [] : [401, 403]),
    ...(isWrite(endpoint) ? [409] : []),
    ...(writesRows ? [423] : []),
    ...(method === 'get' ? [] : [403, 415]),
    // 422 for a character that the encoding of the database does not have.
    ...(request || file ? [413, 422] : []),
    421,
    ...(role === null ? [] : [429]),
    500,
    503,
  ];
  return {
    operationId: operationId(endpoint),
    summary,
    ...(role === null ? { security: [] } : forPeople ? { security: [SIGNED_IN] } : {}),
    description: role === null ? 'Needs no name.' : `Needs the role ${role}.`,
    'x-territories': territories,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request ? { requestBody: { required, content: jsonContent(request) } } : {}),
    ...(file
      ? { requestBody: { required, content: Object.fromEntries(file.map((type) => [type, {}])) } }
      : {}),
    responses: {
      [answer.status]: success(answer, [
        ...(request ? [BODY_SKIPPED_HEADER] : []),
        ...(minimal ? [PREFERENCE_APPLIED_HEADER] : []),
      ]),
      ...(isConditional(answer) ? { 304: { description: 'The client has these rows' } } : {}),
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

function success(
  { status, body, headers = [], alsoArrow, alsoCsv, alsoLines }: Endpoint['answer'],
  more: readonly string[],
) {
  const names = [...headers, ...more];
  const described = typeof body === 'string' ? { [body]: {} } : body && jsonContent(body);
  const content = described && {
    ...described,
    ...(alsoArrow ? { [ARROW]: {} } : {}),
    ...(alsoCsv ? { [CSV]: {} } : {}),
    ...(alsoLines ? { [LINES]: {} } : {}),
  };
  return {
    description: status === 204 ? 'Done' : status === 201 ? 'Created' : 'The answer',
    ...(names.length > 0 ? { headers: headersOf(names) } : {}),
    ...(content ? { content } : {}),
  };
}

const headersOf = (names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { description: HEADERS[name], schema: { type: 'string' } }]),
  );

const jsonContent = (schema: v.GenericSchema) => ({
  'application/json': { schema: described(schema) },
});

/** A reference to a schema that has a name, or the schema itself. */
function described(schema: v.GenericSchema): JsonSchema {
  const name = NAMES.get(schema);
  return name === undefined ? jsonSchema(schema) : { $ref: `${COMPONENT}${name}` };
}

/** Converts the input or output of a schema to JSON Schema, with references to named schemas within. Checks that need code are described in words only. */
function jsonSchema(schema: v.GenericSchema, typeMode: 'input' | 'output' = 'input'): JsonSchema {
  const {
    $schema: _,
    $defs: __,
    ...converted
  } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
    // A lazy schema depends on the body. Without one it is the choice of all.
    overrideSchema: ({ valibotSchema }) => {
      const name = valibotSchema === schema ? undefined : NAMES.get(valibotSchema);
      if (name !== undefined) return { $ref: `${COMPONENT}${name}` };
      return isLazy(valibotSchema) ? described(valibotSchema.getter(undefined)) : undefined;
    },
    overrideAction: ({ valibotAction, jsonSchema: standard }) => {
      const columns = v.safeParse(ByColumn, valibotAction);
      return columns.success
        ? {
            type: 'object',
            additionalProperties: described(columns.output.metadata[COLUMN_VALUE]),
          }
        : standard;
    },
  });
  return converted;
}

const isSchema = (value: unknown): value is v.GenericSchema =>
  v.is(v.object({ kind: v.literal('schema') }), value);

/** The metadata of a {@link byColumn} schema, with the schema of its values. */
const ByColumn = v.object({
  type: v.literal('metadata'),
  metadata: v.object({ [COLUMN_VALUE]: v.custom<v.GenericSchema>(isSchema) }),
});

const isLazy = (schema: object): schema is v.LazySchema<v.GenericSchema> =>
  'type' in schema && schema.type === 'lazy';
