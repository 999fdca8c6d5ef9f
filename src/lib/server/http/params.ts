/** Reads path parameters and query strings. */
import { MOST_ENTRIES } from '../../contract/log';
import { AppError } from '../errors';

const MAX_INT4 = 2147483647;

/** A path parameter that is the id of a source or version. @throws AppError 400 */
export const idParam = (text: string | undefined, name: string): number =>
  integer(text, name, 1, MAX_INT4);

/** A path parameter that is a log entry's id. @throws AppError 400 */
export const logidParam = (text: string | undefined): number =>
  integer(text, 'logid', 1, Number.MAX_SAFE_INTEGER);

/** A whole number of the query string, or `fallback` if it is missing. @throws AppError 400 */
export function integerQuery<Fallback extends number | undefined>(
  url: URL,
  name: string,
  range: { min: number; max: number; fallback: Fallback },
): number | Fallback {
  const text = url.searchParams.get(name);
  return text === null ? range.fallback : integer(text, name, range.min, range.max);
}

/** A path parameter that is a name. @throws AppError 400 if it cannot be a name */
export function textParam(text: string, name: string): string {
  if (text.includes('\u0000')) {
    throw new AppError(400, `${name} must not contain the character U+0000`, { field: name });
  }
  return text;
}

/** A text of the query string, or `fallback`. Without a fallback it is required. @throws AppError 400 */
export function textQuery(url: URL, name: string, fallback?: string): string {
  const text = url.searchParams.get(name) ?? fallback;
  if (text === undefined) {
    throw new AppError(400, `${name} is missing in the query string`, { field: name });
  }
  return textParam(text, name);
}

/** The texts of a repeated parameter of the query string; none if it is missing. @throws AppError 400 */
export const textsQuery = (url: URL, name: string): string[] =>
  url.searchParams.getAll(name).map((text) => textParam(text, name));

/** The entries that a read is limited to; undefined for all entries. @throws AppError 400 */
export function entriesQuery(url: URL): number[] | undefined {
  const texts = url.searchParams.getAll('logid');
  if (texts.length > MOST_ENTRIES) {
    throw new AppError(400, `logid: at most ${MOST_ENTRIES} entries may be asked for at a time`, {
      field: 'logid',
    });
  }
  return texts.length === 0 ? undefined : texts.map(logidParam);
}

/** One of several words in the query string; undefined if it is missing. @throws AppError 400 */
export const optionalChoice = <T extends string>(
  url: URL,
  name: string,
  choices: readonly T[],
): T | undefined =>
  // The fallback is not used.
  url.searchParams.has(name) && choices[0]
    ? choiceQuery(url, name, choices, choices[0])
    : undefined;

/** One of several words in the query string, or `fallback` if it is missing. @throws AppError 400 */
export function choiceQuery<T extends string>(
  url: URL,
  name: string,
  choices: readonly T[],
  fallback: T,
): T {
  const text = url.searchParams.get(name) ?? fallback;
  const choice = choices.find((c) => c === text);
  if (choice === undefined) {
    throw new AppError(400, `${name} must be one of: ${choices.join(', ')}`, { field: name });
  }
  return choice;
}

function integer(text: string | undefined, name: string, min: number, max: number): number {
  const number = Number(text);
  if (!text || !/^\d{1,16}$/.test(text) || number < min || number > max) {
    throw new AppError(400, `${name} must be a whole number from ${min} to ${max}`, {
      field: name,
    });
  }
  return number;
}
