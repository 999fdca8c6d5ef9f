/** Versions, each one plan, and the bodies that create and change them. */
import * as v from 'valibot';
import { EntryTotals } from './log';
import { Iter } from './operations';
import { byColumn, pfUser, shortName, text, timestamp } from './primitives';

/**
 * One plan of a source (docs/contract/02-resources-and-their-fields.md#pfversion). `closed_at` and
 * `closed_by` are null while it is open.
 */
export const Version = v.object({
  id: v.number(),
  source_id: v.number(),
  name: v.string(),
  description: v.nullable(v.string()),
  status: v.picklist(['open', 'closed']),
  exclude_iters: v.pipe(
    v.fallback(v.array(v.string()), ['reference']),
    v.description('Origins that operations skip. Other programs may have stored other texts here'),
  ),
  created_at: timestamp,
  created_by: v.nullable(v.string()),
  closed_at: v.nullable(timestamp),
  closed_by: v.nullable(v.string()),
  current: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description('The current names that stand for the version; only if there are any'),
    ),
  ),
});
export type Version = v.InferOutput<typeof Version>;

/** A version in a list: with its size and its last change. */
export const VersionListEntry = v.object({
  ...Version.entries,
  row_count: v.number(),
  last_change: v.nullable(timestamp),
  last_user: v.nullable(v.string()),
  last_load: v.optional(
    v.pipe(
      timestamp,
      v.description(
        'When the rows were last compared with the source, by a load or a refresh; absent without a load, and for who reads a part',
      ),
    ),
  ),
  replay_of: v.optional(
    v.pipe(
      v.number(),
      v.description('The version that this one is a replay of; only if it is one'),
    ),
  ),
});
export type VersionListEntry = v.InferOutput<typeof VersionListEntry>;
/** Answer of GET versions. */
export const VersionsAnswer = v.array(VersionListEntry);

/**
 * Answer of GET totals: the rows that operations see, the reference, and the former by month. Name and total
 * of a measure that the source does not have are null (docs/contract/06-log.md#get-versionsidtotals).
 */
export const VersionTotals = v.object({
  value_col: v.nullable(v.string()),
  units_col: v.nullable(v.string()),
  value_type: v.pipe(
    v.nullable(v.string()),
    v.description('Base type of the value column, with its number of decimals; null without one'),
  ),
  units_type: v.pipe(
    v.nullable(v.string()),
    v.description('Base type of the units column; null without one'),
  ),
  measure_types: v.optional(
    v.pipe(
      byColumn(v.string()),
      v.description('Base types of the further measures by column; absent without any'),
    ),
  ),
  labels: v.optional(
    v.pipe(
      byColumn(v.string()),
      v.description('Labels of the measures by column; absent if no measure has one'),
    ),
  ),
  date_col: v.pipe(
    v.nullable(v.string()),
    v.description('The date column of the months; null if the source has none'),
  ),
  plan: v.pipe(EntryTotals, v.description('The rows that operations see')),
  reference: v.pipe(
    v.nullable(EntryTotals),
    v.description('The reference rows; null if there are none'),
  ),
  compared: v.pipe(
    v.nullable(
      v.object({
        first_month: v.pipe(
          v.nullable(v.string()),
          v.description('First day of the first month; null if no reference row has a date'),
        ),
        last_month: v.pipe(
          v.nullable(v.string()),
          v.description('First day of the last month; null if no reference row has a date'),
        ),
        ...EntryTotals.entries,
      }),
    ),
    v.description(
      'The plan in the months of the reference, from its first to its last; null without reference rows',
    ),
  ),
  months: v.pipe(
    v.array(
      v.object({
        month: v.pipe(v.string(), v.description('Its first day')),
        ...EntryTotals.entries,
      }),
    ),
    v.description('The plan by month, oldest first, without rows that have no date'),
  ),
});
export type VersionTotals = v.InferOutput<typeof VersionTotals>;

/** The origins that operations skip in a new version by default. */
export const EXCLUDED_BY_DEFAULT: readonly Iter[] = ['reference'];

/** Body of POST versions (docs/contract/11-endpoints.md). */
export const CreateVersionRequest = v.object({
  name: shortName,
  description: v.optional(v.nullable(text)),
  exclude_iters: v.optional(v.array(Iter)),
  pf_user: v.optional(pfUser),
});
export type CreateVersionRequest = v.InferOutput<typeof CreateVersionRequest>;

/** Body of POST copy (docs/contract/19-planning-together.md#copies). */
export const CopyVersionRequest = v.object({
  name: shortName,
  description: v.optional(v.nullable(text)),
  pf_user: pfUser,
});
export type CopyVersionRequest = v.InferOutput<typeof CopyVersionRequest>;

/** Body of PATCH on a version; a missing field keeps its value (docs/contract/11-endpoints.md). */
export const EditVersionRequest = v.object({
  name: v.optional(shortName),
  description: v.optional(v.nullable(text)),
  exclude_iters: v.optional(v.array(Iter)),
  pf_user: v.optional(pfUser),
});
export type EditVersionRequest = v.InferOutput<typeof EditVersionRequest>;

/** Body of POST close and POST open (docs/contract/03-states-and-transitions.md#version-status). */
export const CloseVersionRequest = v.object({ pf_user: pfUser });
export type CloseVersionRequest = v.InferOutput<typeof CloseVersionRequest>;
