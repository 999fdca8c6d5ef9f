import type { Column } from '../../src/lib/server/arrow/column-plan';
import { encodeParts } from '../../src/lib/server/arrow/encode';

/** The Arrow stream of some columns as a client has received it, in one piece. */
export const encode = (columns: readonly Column[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(encodeParts(columns)));
