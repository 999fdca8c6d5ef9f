/** Named views: layouts of the pivot that people save. */
import * as v from 'valibot';
import { anyJson, byColumn, pfUser, shortName, timestamp } from './primitives';

/**
 * A named layout of the pivot (docs/contract/02-resources-and-their-fields.md#pfview). `layout` is any JSON
 * object; the browser reads it as a stored layout, like a source's `default_layout`.
 */
export const NamedView = v.object({
  id: v.number(),
  source_id: v.number(),
  name: v.string(),
  layout: v.pipe(v.any(), v.description('Pivot layout, as in default_layout of a source')),
  created_by: v.nullable(v.string()),
  created_at: timestamp,
});
export type NamedView = v.InferOutput<typeof NamedView>;
/** Answer of GET views. */
export const NamedViewsAnswer = v.array(NamedView);

const layout = byColumn(anyJson);

/** Body of POST views (docs/contract/11-endpoints.md). */
export const CreateViewRequest = v.object({ name: shortName, layout, pf_user: pfUser });
export type CreateViewRequest = v.InferOutput<typeof CreateViewRequest>;

/** Body of PATCH on a view; a missing field keeps its value (docs/contract/11-endpoints.md). */
export const EditViewRequest = v.object({
  name: v.optional(shortName),
  layout: v.optional(layout),
});
export type EditViewRequest = v.InferOutput<typeof EditViewRequest>;
