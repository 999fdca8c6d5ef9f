/** Every endpoint of the service, and the types of its requests and answers. */
import type * as v from 'valibot';
import { ALERT_ENDPOINTS } from './endpoints/alerts';
import { AUDIT_ENDPOINTS } from './endpoints/audit';
import { CALENDAR_ENDPOINTS } from './endpoints/calendar';
import { COMMENT_ENDPOINTS } from './endpoints/comments';
import { CURRENT_ENDPOINTS } from './endpoints/current';
import { type Described, type Description, METHODS, PATH_PARAMETERS } from './endpoints/endpoint';
import { FILE_ENDPOINTS } from './endpoints/files';
import { LOG_ENDPOINTS } from './endpoints/log';
import { LOOKUP_ENDPOINTS } from './endpoints/lookups';
import { PUBLISHED_ENDPOINTS } from './endpoints/published';
import { REVIEW_ENDPOINTS } from './endpoints/reviews';
import { ROW_ENDPOINTS } from './endpoints/rows';
import { SERVICE_ENDPOINTS } from './endpoints/service';
import { SOURCE_ENDPOINTS } from './endpoints/sources';
import { TERRITORY_ENDPOINTS } from './endpoints/territories';
import { TOKEN_ENDPOINTS } from './endpoints/tokens';
import { VERSION_ENDPOINTS } from './endpoints/versions';

/**
 * Every endpoint by its name, in the order in which a plan uses them (docs/contract/11-endpoints.md). Routes, handlers,
 * calls of the client and the OpenAPI document follow from it.
 */
export const API = {
  ...SERVICE_ENDPOINTS,
  ...FILE_ENDPOINTS,
  ...CALENDAR_ENDPOINTS,
  ...SOURCE_ENDPOINTS,
  ...LOOKUP_ENDPOINTS,
  ...TERRITORY_ENDPOINTS,
  ...TOKEN_ENDPOINTS,
  ...AUDIT_ENDPOINTS,
  ...VERSION_ENDPOINTS,
  ...CURRENT_ENDPOINTS,
  ...PUBLISHED_ENDPOINTS,
  ...ROW_ENDPOINTS,
  ...LOG_ENDPOINTS,
  ...COMMENT_ENDPOINTS,
  ...REVIEW_ENDPOINTS,
  ...ALERT_ENDPOINTS,
};
export type Api = typeof API;
/** The name of an endpoint, such as `PATCH /views/{id}`. */
export type Name = keyof Api;

/** The parameters in the path of an endpoint. */
export type ParamsOf<N extends Name> = {
  [P in InBraces<N>]: v.InferOutput<(typeof PATH_PARAMETERS)[P]>;
};
type InBraces<Path extends string> = Path extends `${string}{${infer P}}${infer Rest}`
  ? (P & keyof typeof PATH_PARAMETERS) | InBraces<Rest>
  : never;

type Required = { required: true };

/** The parameters in the query string of an endpoint. */
export type QueryOf<N extends Name> = Api[N] extends { query: infer Q }
  ? {
      [P in keyof Q as Q[P] extends Required ? P : never]: ValueOf<Q[P]>;
    } & { [P in keyof Q as Q[P] extends Required ? never : P]?: ValueOf<Q[P]> | undefined }
  : object;
type ValueOf<P> = P extends { schema: infer S extends v.GenericSchema } ? v.InferOutput<S> : never;

/** The JSON body of a request; undefined for an endpoint without one. */
export type BodyOf<N extends Name> = Api[N] extends { request: infer R }
  ? R extends v.GenericSchema
    ? v.InferOutput<R>
    : v.InferOutput<Extract<R[keyof R], v.GenericSchema>>
  : undefined;

/** The JSON of an answer; void for an answer without a body. */
export type AnswerOf<N extends Name> = Api[N] extends { answer: { body: infer B } }
  ? B extends v.GenericSchema
    ? v.InferOutput<B>
    : never
  : void;

/** One endpoint: its description with method and path, and without choices between words of the path. */
export type Endpoint = Omit<Described, 'summary' | 'request' | 'refusals'> &
  Pick<Description, 'territories'> & {
    name: Name;
    method: (typeof METHODS)[number];
    path: string;
    summary: string;
    request?: v.GenericSchema | undefined;
    refusals: readonly number[];
    /** Why it needs all of a source, if it does. */
    because?: string;
    /** The path parameter that has one word here, and this word. */
    word?: readonly [parameter: string, word: string];
  };

/** Every endpoint, with one entry for each word that a path parameter accepts. */
export const ENDPOINTS: readonly Endpoint[] = Object.entries<Description>(API).flatMap(
  ([name, description]) => {
    const choice = Object.entries(PATH_PARAMETERS).find(
      ([parameter, schema]) => name.includes(`{${parameter}}`) && 'options' in schema,
    );
    if (choice === undefined) return endpointOf(name, description);
    const [parameter, schema] = choice;
    const words = 'options' in schema ? schema.options : [];
    return words.flatMap((word) => endpointOf(name, description, [parameter, word]));
  },
);

function isName(name: string): name is Name {
  return Object.hasOwn(API, name);
}

function endpointOf(
  name: string,
  description: Description,
  word?: readonly [parameter: string, word: string],
): Endpoint[] {
  const [verb = '', pattern = ''] = name.split(' ');
  const method = METHODS.find((each) => each === verb.toLowerCase());
  if (!isName(name) || method === undefined) return [];
  const { summary, request, query, file, refusals = [], ...others } = description;
  const hasParameter = pattern.includes('{');
  return [
    {
      ...others,
      ...(query && { query }),
      ...(file && { file }),
      name,
      method,
      path: word ? pattern.replace(`{${word[0]}}`, word[1]) : pattern,
      summary: typeof summary === 'string' ? summary : (summary[word?.[1] ?? ''] ?? ''),
      request: isSchema(request) ? request : request?.[word?.[1] ?? ''],
      refusals: [
        ...(hasParameter || query || request || file ? [400] : []),
        ...(hasParameter ? [404] : []),
        ...refusals,
      ],
      ...(word && { word }),
    },
  ];
}

function isSchema(request: Described['request']): request is v.GenericSchema {
  return request !== undefined && 'kind' in request;
}
