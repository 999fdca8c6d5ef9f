/** Lists of names in response headers. */

/**
 * Most characters of a header that lists names. Clients refuse answers with longer headers
 * (docs/contract/10-authentication-and-limits.md#limits).
 */
const MAX_CHARACTERS = 4096;

/** Names for a header, percent-encoded and with commas between. Names that do not fit are left out. */
export function headerList(names: Iterable<string>): string {
  let list = '';
  for (const name of names) {
    // A name from a body may hold half a surrogate pair, which cannot be encoded.
    const longer = list + (list === '' ? '' : ',') + encodeURIComponent(name.toWellFormed());
    if (longer.length > MAX_CHARACTERS) break;
    list = longer;
  }
  return list;
}

/** The names in the value of a header that {@link headerList} made. */
export const headerNames = (list: string): string[] =>
  list === '' ? [] : list.split(',').map(decodeURIComponent);
