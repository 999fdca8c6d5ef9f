/** Named profiles: weights of the months of a year that people save. */
import * as v from 'valibot';
import { pfUser, shortName, timestamp } from './primitives';
import { weight } from './shapes';

/**
 * A named profile (docs/contract/02-resources-and-their-fields.md#pfprofile). The service only stores it; the
 * browser makes the weights of a shape from it.
 */
export const NamedProfile = v.object({
  id: v.number(),
  source_id: v.number(),
  name: v.string(),
  weights: v.pipe(v.array(v.number()), v.description('One weight per month, January first')),
  created_by: v.nullable(v.string()),
  created_at: timestamp,
});
export type NamedProfile = v.InferOutput<typeof NamedProfile>;
/** Answer of GET profiles. */
export const NamedProfilesAnswer = v.array(NamedProfile);

const weights = v.pipe(
  v.array(weight),
  v.length(12, 'must be 12 numbers, January first'),
  v.check((months) => months.some(Boolean), 'must have one above 0'),
  v.description('One weight per month, January first; at least one above 0'),
);

/** Body of POST profiles (docs/contract/11-endpoints.md). */
export const CreateProfileRequest = v.object({ name: shortName, weights, pf_user: pfUser });
export type CreateProfileRequest = v.InferOutput<typeof CreateProfileRequest>;

/** Body of PATCH on a profile; a missing field keeps its value (docs/contract/11-endpoints.md). */
export const EditProfileRequest = v.object({
  name: v.optional(shortName),
  weights: v.optional(weights),
});
export type EditProfileRequest = v.InferOutput<typeof EditProfileRequest>;
