/** Territories: what each person or group may see and change of a source. */
import * as v from 'valibot';
import { AskedSlice, isWhole, Slice } from './slices';
import { pfUser, shortName, timestamp } from './primitives';

/**
 * A territory (docs/contract/20-who-is-signed-in.md#territories): the rows of a source that a member may read,
 * and those of them that the member may change.
 */
export const Territory = v.object({
  id: v.number(),
  source_id: v.number(),
  member: v.pipe(v.string(), v.description('The name of a person or of a group')),
  read: v.pipe(Slice, v.description('The rows that the member may read; {} is the whole source')),
  write: v.pipe(
    v.nullable(Slice),
    v.description('The rows that the member may change, as far as they may be read; null is none'),
  ),
  created_by: v.nullable(v.string()),
  created_at: timestamp,
});
export type Territory = v.InferOutput<typeof Territory>;
/** A person or a group that the service has seen. */
export const SeenMember = v.object({
  name: v.string(),
  kind: v.pipe(
    v.nullable(v.picklist(['person', 'group'])),
    v.description('null if only a territory names the member'),
  ),
});
export type SeenMember = v.InferOutput<typeof SeenMember>;
/** Answer of GET members, by name. */
export const MembersAnswer = v.array(SeenMember);
/** Greatest number of members in an answer. */
export const MOST_MEMBERS = 1_000;

/** Answer of GET territories, oldest first. */
export const TerritoriesAnswer = v.array(Territory);

/**
 * The part of a source that the sender of a request may read and change: the union of the slices. Rows must also be
 * readable to be changed.
 */
export const OwnPart = v.object({
  read: v.array(Slice),
  write: v.pipe(v.array(Slice), v.description('Empty if the sender may change nothing')),
});
export type OwnPart = v.InferOutput<typeof OwnPart>;

/** Returns whether somebody may read only a part of a source. @param source as the service returned it to them */
export const readsPart = ({ territory }: { territory?: OwnPart | undefined }): boolean =>
  territory !== undefined && !territory.read.some(isWhole);

/** Body of POST territories. */
export const CreateTerritoryRequest = v.object({
  member: shortName,
  read: AskedSlice,
  write: v.nullable(AskedSlice),
  pf_user: v.optional(pfUser),
});
export type CreateTerritoryRequest = v.InferOutput<typeof CreateTerritoryRequest>;

/** Body of PATCH on a territory; a missing field keeps its value. */
export const EditTerritoryRequest = v.object({
  member: v.optional(shortName),
  read: v.optional(AskedSlice),
  write: v.optional(v.nullable(AskedSlice)),
});
export type EditTerritoryRequest = v.InferOutput<typeof EditTerritoryRequest>;
