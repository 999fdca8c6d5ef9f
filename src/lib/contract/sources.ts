/** Sources, their tables, and their stored SQL. */
import * as v from 'valibot';
import { COPYING_LOADS, SLICE_OPERATIONS } from './operations';
import { anyJson, byColumn, filledText, label, pfUser, row, text, timestamp } from './primitives';
import { OwnPart } from './territories';

const TableKind = v.picklist([
  'table',
  'view',
  'materialized view',
  'partitioned table',
  'foreign table',
]);

/**
 * A table or view of the database. `row_estimate` is PostgreSQL's estimate of the number of rows, null
 * without one; `source_id` is null if the table is not registered (docs/contract/04-data-loading.md).
 */
export const TableEntry = v.object({
  schema: v.string(),
  tname: v.string(),
  kind: TableKind,
  row_estimate: v.nullable(v.number()),
  source_id: v.nullable(v.number()),
});
export type TableEntry = v.InferOutput<typeof TableEntry>;
/** Answer of GET tables. */
export const TablesAnswer = v.array(TableEntry);

/**
 * Columns with their database types and first rows of a table (docs/contract/11-endpoints.md#tables).
 */
export const TablePreview = v.object({
  columns: v.array(v.object({ cname: v.string(), type: v.string(), nullable: v.boolean() })),
  rows: v.array(row),
});
export type TablePreview = v.InferOutput<typeof TablePreview>;

const SOURCE_STATUSES = ['active', 'archived'] as const;
const SourceStatus = v.picklist(SOURCE_STATUSES);

/** One registered table (docs/contract/02-resources-and-their-fields.md#pfsource). */
export const Source = v.object({
  id: v.number(),
  schema: v.string(),
  tname: v.string(),
  label: v.nullable(v.string()),
  status: SourceStatus,
  default_layout: v.pipe(v.any(), v.description('Default pivot layout of the source, or null')),
  created_at: timestamp,
  created_by: v.nullable(v.string()),
  territory: v.optional(
    v.pipe(
      OwnPart,
      v.description(
        "The sender's territories; absent if the sender may read and change the whole source",
      ),
    ),
  ),
});
export type Source = v.InferOutput<typeof Source>;

/**
 * A source in a list: with the number of its versions, whether it has a display grain, and whether its SQL
 * has been generated.
 */
export const SourceListEntry = v.object({
  ...Source.entries,
  version_count: v.number(),
  has_grain: v.boolean(),
  has_sql: v.boolean(),
});
export type SourceListEntry = v.InferOutput<typeof SourceListEntry>;
/** Answer of GET sources. */
export const SourcesAnswer = v.array(SourceListEntry);

/** Body of POST sources (docs/contract/11-endpoints.md). */
export const RegisterSourceRequest = v.object({
  schema: filledText,
  tname: filledText,
  label: v.optional(v.nullable(label)),
  pf_user: v.optional(pfUser),
});
export type RegisterSourceRequest = v.InferOutput<typeof RegisterSourceRequest>;

/** Body of PATCH on a source; a missing field keeps its value (docs/contract/11-endpoints.md). */
export const EditSourceRequest = v.object({
  label: v.optional(v.nullable(label)),
  status: v.optional(SourceStatus),
  default_layout: v.optional(v.nullable(byColumn(anyJson))),
});
export type EditSourceRequest = v.InferOutput<typeof EditSourceRequest>;

/** The purposes of stored templates (docs/contract/07-sql-generation.md), in the order of the list. */
export const TEMPLATE_OPERATIONS = [
  'get_data',
  'get_agg',
  ...COPYING_LOADS,
  ...SLICE_OPERATIONS,
  'undo',
] as const;
export const TemplateOperation = v.picklist(TEMPLATE_OPERATIONS);
export type TemplateOperation = v.InferOutput<typeof TemplateOperation>;

/**
 * One stored template: SQL text with tokens in double braces (docs/contract/07-sql-generation.md).
 */
export const Template = v.object({
  operation: TemplateOperation,
  sql: v.string(),
  generated_at: timestamp,
});
export type Template = v.InferOutput<typeof Template>;
/** Answer of GET and POST sql. */
export const TemplatesAnswer = v.array(Template);

/** Answer of GET sql/preview: the templates that a generation would store now. */
export const TemplatesPreview = v.array(
  v.object({
    operation: TemplateOperation,
    sql: v.string(),
    unrecorded: v.optional(
      v.pipe(
        v.literal(true),
        v.description(
          'Present if the columns of the stored SQL were not recorded: operations and new versions need a new generation',
        ),
      ),
    ),
  }),
);
export type TemplatesPreview = v.InferOutput<typeof TemplatesPreview>;

/** Distinct values of a source column, most frequent first; null is the empty value. */
export const ColumnValues = v.object({
  values: v.array(v.object({ value: v.nullable(v.string()), row_count: v.number() })),
  more: v.pipe(v.boolean(), v.description('True if there are more values')),
});
export type ColumnValues = v.InferOutput<typeof ColumnValues>;

/** Body of POST grain-estimate (docs/contract/11-endpoints.md). */
export const GrainEstimateRequest = v.object({
  columns: v.pipe(v.array(text), v.description('Columns the grain would hold')),
});
/** The effect of a display grain on the number of rows (docs/contract/11-endpoints.md). */
export const GrainEstimate = v.object({
  row_count: v.pipe(v.number(), v.description('Rows of the source table')),
  grain_rows: v.pipe(v.number(), v.description('Distinct combinations of the grain columns')),
});
export type GrainEstimate = v.InferOutput<typeof GrainEstimate>;
