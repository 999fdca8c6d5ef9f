import * as v from 'valibot';

const paths = v.array(v.array(v.union([v.string(), v.number(), v.boolean(), v.null()])));

/** The groups of some columns that were opened and closed one by one, since all were opened to a depth. */
export const Toggled = v.object({
  columns: v.array(v.string()),
  depth: v.nullable(v.number()),
  opened: paths,
  closed: paths,
});
export type Toggled = v.InferOutput<typeof Toggled>;

/** Rows and columns that were opened and closed one by one; null where none were. */
export const ToggledGroups = v.object({ rows: v.nullable(Toggled), across: v.nullable(Toggled) });
export type ToggledGroups = v.InferOutput<typeof ToggledGroups>;

export const NONE_TOGGLED: ToggledGroups = { rows: null, across: null };
