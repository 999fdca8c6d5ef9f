import { ARROW, CSV } from '../../contract/primitives';
import type { Asked } from '../bodies';
import type { Encoding } from '../compress';
import { ENCODINGS } from '../compress';

/** Whether a request asks for its rows as Arrow. */
export const asksForArrow = (request: Request): boolean =>
  accepted(request, 'accept').includes(ARROW);

/** Whether a request asks for its rows as CSV, and not for Arrow before that. */
export const asksForCsv = (request: Request): boolean =>
  accepted(request, 'accept').find((type) => type === CSV || type === ARROW) === CSV;

/** What a header of a request accepts by name, in small letters. */
const accepted = ({ headers }: Request, header: 'accept' | 'accept-encoding'): string[] =>
  (headers.get(header) ?? '')
    .toLowerCase()
    .split(',')
    .flatMap((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
      return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : name;
    });

/** How a request wants rows: which it has, and how they may be compressed. */
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
 * Whether a client is on this machine, where to compress and to decompress takes longer than to copy. An
 * address that the configured header does not tell is far away.
 */
function isNear(getClientAddress: () => string): boolean {
  try {
    const address = getClientAddress();
    return address === '::1' || /^(::ffff:)?127\./.test(address);
  } catch {
    return false;
  }
}
