/** Operations as the page sends them, and the settings that they are made with. */
import type { ImportRequest } from '../../contract/imports';
import type { ScaleEdit, SliceOperation, SliceRequests } from '../../contract/operations';
import type { Slice } from '../../contract/slices';
import { LIKE_REFERENCE, type ShapeChoice } from './shape';

/** An operation as the panel makes it. The slice and the user are added when it is sent. */
export type Operation = {
  [O in SliceOperation]: { kind: O; body: Omit<SliceRequests[O], 'slice' | 'pf_user'> };
}[SliceOperation];

/** The import of a file, as the page makes it. The user is added when it is sent. */
export interface FileImport {
  kind: 'import';
  body: Omit<ImportRequest, 'pf_user'>;
}

/** An operation as it is sent. */
export interface OperationRequest {
  kind: SliceOperation;
  body: SliceRequests[SliceOperation];
}

/** Returns the request body of an operation on a slice. */
export const bodyOf = (
  operation: Operation,
  slice: Slice,
  pf_user: string,
): OperationRequest['body'] => ({
  slice,
  ...operation.body,
  pf_user,
});

/** How amounts are spread over the leaves of a slice. */
export type Spread = Extract<ScaleEdit['spread'], string>;

/** The panel's settings for the next write, whether its amounts are typed into the panel or into cells. */
export interface WriteSettings {
  spread: Spread;
  /** The shape that parts the amount first; null for none. */
  shape: ShapeChoice | null;
  /** The key of the shape in the list of the panel; null for none. */
  shapeKey: string | null;
  /** Whether each row keeps its value per unit. */
  holdPrice: boolean;
  /** Whether the group above the cell keeps its total. */
  keepTotal: boolean;
  /** Whether the present total gets the shape, instead of another total. */
  reshape?: boolean;
  /** The measures that follow the percentage of value, by column. */
  follow?: readonly string[];
  /** The note of the log entry; empty for none. */
  note: string;
}

/** The words that a planner typed after or instead of an amount: settings for this amount only. */
export interface TypedWords {
  /** “keep total” */
  keepTotal: boolean;
  /** “like ref” */
  likeReference: boolean;
  /** “=keep” instead of an amount */
  reshape: boolean;
}

/** Returns the settings of the panel with those that were typed with an amount. */
export const withWords = (
  settings: WriteSettings,
  { keepTotal, likeReference, reshape }: TypedWords,
): WriteSettings => ({
  ...settings,
  ...(keepTotal && { keepTotal }),
  ...(likeReference && { shape: LIKE_REFERENCE }),
  ...(reshape && { reshape }),
});

/** Returns the part of a request that carries a note; empty for a blank one. */
export const noteOf = (note: string): { note?: string } => (note.trim() === '' ? {} : { note });
