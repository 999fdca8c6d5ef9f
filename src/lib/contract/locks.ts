/** Locks: slices of a version that nobody may change. */
import * as v from 'valibot';
import { AskedSlice, Slice } from './slices';
import { note, pfUser, timestamp } from './primitives';

/** A slice of a version whose rows nobody may change (docs/contract/19-planning-together.md#locks). */
export const Lock = v.object({
  id: v.number(),
  version_id: v.number(),
  slice: Slice,
  note: v.nullable(v.string()),
  created_by: v.string(),
  created_at: timestamp,
  logid: v.optional(
    v.pipe(
      v.number(),
      v.description('The entry that closed these months; the lock is deleted when it is undone'),
    ),
  ),
});
export type Lock = v.InferOutput<typeof Lock>;
/** Answer of GET locks, oldest first. */
export const LocksAnswer = v.array(Lock);

/** Body of POST locks; `{}` locks the whole version. */
export const LockRequest = v.object({
  slice: AskedSlice,
  note: v.optional(v.nullable(v.pipe(note, v.description('Why it is locked')))),
  pf_user: pfUser,
});
export type LockRequest = v.InferOutput<typeof LockRequest>;
