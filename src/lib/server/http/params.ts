/** Reads path parameters and query strings. */
import * as v from 'valibot';
import type { Endpoint } from '../../contract/endpoints';
import { type Parameter, PATH_PARAMETERS } from '../../contract/endpoints/endpoint';
import { AppError } from '../errors';

/** The parameters of a path by name. @throws AppError 400 naming the parameter */
export const readPath = (params: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(PATH_PARAMETERS).flatMap(([name, schema]) =>
      name in params ? [[name, fitted(name, schema, params[name])]] : [],
    ),
  );

/** The parameters of a query string by name; those that are missing are left out. @throws AppError 400 naming one */
export const readQuery = (
  described: Endpoint['query'],
  { searchParams }: URL,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(described ?? {}).flatMap(([name, { schema, required }]) => {
      if (searchParams.has(name)) {
        const { type } = schema;
        const sent = type === 'array' ? searchParams.getAll(name) : searchParams.get(name);
        return [[name, fitted(name, schema, sent)]];
      }
      if (!required) return [];
      throw new AppError(400, `${name} is missing in the query string`, { field: name });
    }),
  );

function fitted(name: string, schema: Parameter, sent: unknown): unknown {
  const result = v.safeParse(schema, sent);
  if (result.success) return result.output;
  throw new AppError(400, `${name} ${result.issues[0].message}`, { field: name });
}
