/** The stored form of groups that were opened and closed individually. */
import * as v from 'valibot';

const paths = v.array(v.array(v.union([v.string(), v.number(), v.boolean(), v.null()])));

/**
 * The groups that were opened and closed individually since all were opened to a depth, with their columns.
 */
export const Toggled = v.object({
  columns: v.array(v.string()),
  depth: v.nullable(v.number()),
  opened: paths,
  closed: paths,
});
export type Toggled = v.InferOutput<typeof Toggled>;

/** Rows and columns that were opened and closed individually; null for none. */
export const ToggledGroups = v.object({ rows: v.nullable(Toggled), across: v.nullable(Toggled) });
export type ToggledGroups = v.InferOutput<typeof ToggledGroups>;

export const NONE_TOGGLED: ToggledGroups = { rows: null, across: null };
