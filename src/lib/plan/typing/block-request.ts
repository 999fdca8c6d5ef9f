/** The request that writes amounts into many cells, and the cell that a refusal is about. */
import { ApiError } from '../../client/http';
import type { ScaleEdit } from '../../contract/operations';
import type { CellIdentity, ReadCell } from '../../pivot/slice/cell';
import { problemText } from './block-edits';
import { noteOf, type OperationBody, type WriteSettings } from '../amounts/operation';

/** The edit of a cell as it is sent in a request. */
export interface CellEdit {
  cell: ReadCell;
  body: ScaleEdit;
}

/** Returns the body that writes all edits as one entry. */
export const bodyOf = (
  edits: readonly CellEdit[],
  pf_user: string,
  { note }: WriteSettings,
): OperationBody => ({
  edits: edits.map(({ body }) => body),
  ...noteOf(note),
  pf_user,
});

/** Returns the sentence about the cell that the service refuses; null if it refuses no single one. */
export function blaming(
  error: unknown,
  edits: readonly CellEdit[],
  nameOf: (cell: CellIdentity) => string,
): string | null {
  const at = error instanceof ApiError && /^edits\.(\d+)/.exec(error.field ?? '')?.[1];
  const blamed = at ? edits[Number(at)] : undefined;
  if (!blamed || !(error instanceof ApiError)) return null;
  const reason = error.message.replace(/^(.*\. )?edits\.\d+: /, '');
  return problemText([{ reason, names: [nameOf(blamed.cell)] }]);
}
