/** Finds the endpoint of a request by its method and path. */
import { type Endpoint, ENDPOINTS } from '../../contract/endpoints';
import { METHODS } from '../../contract/endpoints/endpoint';

/** A path of the API and its endpoint. */
export interface Route {
  /** The path, such as `/api/versions/[id]`. */
  pattern: string;
  /** Undefined if the path has no endpoint of the method. */
  endpoint: Endpoint | undefined;
  /** Path parameters by name, decoded and unchecked. */
  params: Record<string, string>;
  /** The methods of the path, as the header `Allow` lists them. */
  allow: string;
}

/** Paths by their steps. Those with fewer parameters are first: `/reviews/waiting` is no `/reviews/{id}`. */
const PATHS = [...new Set(ENDPOINTS.map(({ path }) => path))]
  .map((path) => ({ path, steps: path.split('/').slice(1) }))
  .sort((one, other) => one.path.split('{').length - other.path.split('{').length);

/**
 * The route of a request.
 *
 * @param sent the path as it was sent, with `/api`
 * @returns undefined if the API has no such path, or if it cannot be decoded
 */
export function routeOf(method: string, sent: string): Route | undefined {
  const steps = sent.split('/').slice(2).map(decoded);
  const found = PATHS.find((each) => leadsTo(each.steps, steps));
  if (!found) return undefined;
  const endpoints = ENDPOINTS.filter(({ path }) => path === found.path);
  const verbs = METHODS.filter((verb) => endpoints.some((each) => each.method === verb));
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  return {
    pattern: `/api${found.path.replace(/\{(\w+)\}/g, '[$1]')}`,
    endpoint: endpoints.find((each) => each.method === wanted),
    params: Object.fromEntries([
      ...found.steps.flatMap((step, i) =>
        isParameter(step) ? [[step.slice(1, -1), steps[i]]] : [],
      ),
      ...endpoints.flatMap(({ word }) => (word ? [word] : [])),
    ]),
    allow: [...verbs, ...(verbs.includes('get') ? ['head'] : [])].join(', ').toUpperCase(),
  };
}

const isParameter = (step: string): boolean => step.startsWith('{');

const leadsTo = (steps: readonly string[], sent: readonly (string | undefined)[]): boolean =>
  steps.length === sent.length &&
  steps.every((step, i) => (isParameter(step) ? Boolean(sent[i]) : step === sent[i]));

function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}
