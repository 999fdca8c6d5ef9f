/** What a handler of an endpoint gets, checked against its description. */
import type { RequestEvent } from '@sveltejs/kit';
import type { AnswerOf, Api, BodyOf, Name, ParamsOf, QueryOf } from '../../contract/endpoints';
import { AppError } from '../errors';
import type { WriteKey } from '../http/request-body';

/** The parts of a request that do not depend on its endpoint. */
export interface Received {
  event: RequestEvent;
  locals: App.Locals;
  db: App.Locals['db'];
  request: Request;
  /** The key of a repeated write; undefined without one, and for endpoints that take none. */
  key: WriteKey | undefined;
}

/** A request of an endpoint: with the parameters of its path, its query string and its body. */
export type Asked<N extends Name> = Received & ParamsOf<N> & { query: QueryOf<N>; body: BodyOf<N> };

/**
 * The handlers of some endpoints. What one returns is sent as JSON with the status of the description, or without a
 * body if this has none; a response is sent as it is.
 */
export type Handlers<Part> = {
  [N in keyof Part & Name]: (asked: Asked<N>) => Answered<N> | Promise<Answered<N>>;
};
type Answered<N extends Name> = AnswerOf<N> | Response;

/** The handlers of all endpoints. */
export type AllHandlers = Handlers<Api>;

/** The name of the signed-in person, or else the one of a parameter. @throws AppError 400 without either */
export function userOf({ me }: App.Locals, user: string | undefined): string {
  const name = me.user ?? user;
  if (name === undefined) {
    throw new AppError(400, 'user is missing in the query string', { field: 'user' });
  }
  return name;
}
