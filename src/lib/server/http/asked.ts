/** Reads the requested form of an answer from the headers of a request. */
import { ARROW, CSV, LINES, PREFER_HEADER } from '../../contract/primitives';
import { isLoopback } from '../addresses';
import type { Asked } from '../bodies';
import type { Encoding } from '../compress';
import { ENCODINGS } from '../compress';

/** Whether a request asks for its rows as Arrow. */
export const asksForArrow = (request: Request): boolean =>
  accepted(request, 'accept').includes(ARROW);

/** Whether a request asks for its rows as CSV, and not for Arrow before that. */
export const asksForCsv = (request: Request): boolean =>
  accepted(request, 'accept').find((type) => type === CSV || type === ARROW) === CSV;

/** Whether a request asks for lines of JSON, with the progress of its answer. */
export const asksForLines = (request: Request): boolean =>
  accepted(request, 'accept').includes(LINES);

/** Whether a request prefers a minimal answer: `Prefer: return=minimal` (RFC 7240). */
export const prefersMinimal = ({ headers }: Request): boolean =>
  (headers.get(PREFER_HEADER) ?? '')
    .split(',')
    .some((preference) => /^\s*return\s*=\s*"?minimal"?\s*(;|$)/i.test(preference));

/** The values that a header of a request accepts, in lower case. */
const accepted = ({ headers }: Request, header: 'accept' | 'accept-encoding'): string[] =>
  (headers.get(header) ?? '')
    .toLowerCase()
    .split(',')
    .flatMap((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
      return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : name;
    });

/** How a request wants its rows: which rows it already has, and which compression it accepts. */
export function askedRows({
  request,
  getClientAddress,
}: {
  request: Request;
  getClientAddress: () => string;
}): Asked {
  const known = request.headers.get('if-none-match') ?? '';
  const tags = Array.from(known.matchAll(/"[^"]*"/g), ([tag]) => tag);
  return {
    isKnown: (state) => known.trim() === '*' || tags.includes(`"${state}"`),
    encoding: isNear(getClientAddress) ? undefined : acceptedEncoding(request),
    signal: request.signal,
  };
}

const acceptedEncoding = (request: Request): Encoding | undefined =>
  ENCODINGS.find((encoding) => accepted(request, 'accept-encoding').includes(encoding));

/**
 * Whether a client is on this machine, where compressing takes longer than copying. A client whose
 * request lacks the configured header of its address counts as remote.
 */
function isNear(getClientAddress: () => string): boolean {
  const address = clientAddress(getClientAddress);
  return address !== undefined && isLoopback(address);
}

/** The address of a client; undefined if the request lacks the configured header of its address. */
export function clientAddress(getClientAddress: () => string): string | undefined {
  try {
    return getClientAddress();
  } catch {
    return undefined;
  }
}
