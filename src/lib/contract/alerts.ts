/** Alerts: conditions on the sums of a version. The service reports when one begins and when it ends to hold. */
import * as v from 'valibot';
import { atMost, number, pathTo, pfUser, shortName, text, timestamp } from './primitives';
import { PeriodUnit } from './shapes';
import { AskedSlice, Slice } from './slices';

/** The greatest number of alerts of a version. */
export const MOST_ALERTS = 50;
/** The greatest number of groups for which an alert may hold at a time. */
export const MOST_HELD = 10_000;
/** The greatest number of values in all lists of an alert's slice. */
export const MOST_SELECTED = 1000;
/** The greatest number of open threads by which one alert asks for reasons. */
export const MOST_ASKED = 100;
/** The number of groups of one answer, and of alerts that the home page lists. */
export const GROUPS_OF_PAGE = 100;
/** How many days an answer names a group after the condition has ended for it. */
export const DAYS_ENDED = 7;

/** What an alert compares with its numbers. */
export const ALERT_OF = ['amount', 'difference', 'difference_pct'] as const;
export type AlertOf = (typeof ALERT_OF)[number];

const of = v.pipe(
  v.picklist(ALERT_OF),
  v.description(
    'The amount of the plan, plan minus reference, or this difference in percent of the reference; without a value if the reference is 0',
  ),
);

/** When an alert holds for a group. */
const Condition = v.variant('operator', [
  v.strictObject({ operator: v.literal('above'), amount: number }),
  v.strictObject({ operator: v.literal('below'), amount: number }),
  v.strictObject({ operator: v.literal('outside'), from: number, to: number }),
]);
/** When an alert holds for a group: above or below a number, or outside of a range, whose ends do not count. */
export const AlertCondition = v.pipe(
  Condition,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.value.operator !== 'outside') return;
    const { from, to } = dataset.value;
    if (to < from)
      addIssue({ message: 'must not be below from', path: pathTo(dataset.value, 'to') });
  }),
);
export type AlertCondition = v.InferOutput<typeof AlertCondition>;

const MOST_FIELDS = 8;

/** A field whose members are groups of an alert. */
const LevelField = v.strictObject({
  field: v.pipe(text, v.description('A dimension, a date or an attribute of a lookup')),
  unit: v.optional(v.pipe(PeriodUnit, v.description('Required of a date, and of nothing else'))),
});
export type LevelField = v.InferOutput<typeof LevelField>;
const level = v.pipe(
  v.array(LevelField),
  atMost(MOST_FIELDS),
  v.check(
    (fields) => new Set(fields.map(({ field }) => field)).size === fields.length,
    'names a field twice',
  ),
  v.description('The fields whose members are the groups; an empty list: all rows are one group'),
);

const measure = v.pipe(
  text,
  v.description('value, units or the column of a further measure of the source'),
);
const asksForReason = v.pipe(
  v.boolean(),
  v.description('Whether a comment to the owner asks for a reason when it begins to hold'),
);

const definition = { measure, of, condition: AlertCondition, level };

/** An alert of a version (docs/contract/25-alerts.md). */
export const Alert = v.object({
  id: v.number(),
  version_id: v.number(),
  name: v.string(),
  ...definition,
  slice: Slice,
  owner: v.string(),
  asks_for_reason: v.boolean(),
  created_by: v.string(),
  created_at: timestamp,
  holding: v.pipe(v.number(), v.description('The number of groups for which it holds')),
  problem: v.optional(
    v.pipe(v.string(), v.description('Why it cannot be evaluated now; then nothing is told')),
  ),
});
export type Alert = v.InferOutput<typeof Alert>;
/** Answer of GET alerts, oldest first. */
export const AlertsAnswer = v.array(Alert);

const owner = v.pipe(
  shortName,
  v.description('Who is asked for reasons, and whose home page lists it; by default the sender'),
);

/** Body of POST alerts; `{}` as the slice is the whole version. */
export const AlertRequest = v.object({
  name: shortName,
  ...definition,
  slice: AskedSlice,
  owner: v.optional(owner),
  asks_for_reason: v.optional(asksForReason),
  pf_user: pfUser,
});
export type AlertRequest = v.InferOutput<typeof AlertRequest>;

/** Body of PATCH on an alert; a missing field keeps its value. */
export const EditAlertRequest = v.object({
  name: v.optional(shortName),
  measure: v.optional(measure),
  of: v.optional(of),
  condition: v.optional(AlertCondition),
  level: v.optional(level),
  slice: v.optional(AskedSlice),
  owner: v.optional(owner),
  asks_for_reason: v.optional(asksForReason),
  pf_user: pfUser,
});
export type EditAlertRequest = v.InferOutput<typeof EditAlertRequest>;

/** Body of DELETE on an alert. */
export const DeleteAlertRequest = v.object({ pf_user: pfUser });

/** A group of rows for which an alert holds, or held some days ago. */
export const AlertGroup = v.object({
  slice: v.pipe(Slice, v.description('The slice of the alert and the members of the group')),
  amount: v.pipe(
    v.number(),
    v.description('What is compared, at the last evaluation at which the condition held'),
  ),
  began_at: timestamp,
  ended_at: v.optional(v.pipe(timestamp, v.description('Missing while it holds'))),
  comment: v.optional(v.pipe(v.number(), v.description('The thread that asks for the reason'))),
});
export type AlertGroup = v.InferOutput<typeof AlertGroup>;

/** Answer of GET groups of an alert: those for which it holds, then those that ended last, newest first. */
export const AlertGroupsAnswer = v.object({
  groups: v.array(AlertGroup),
  total: v.pipe(v.number(), v.description('The number of groups on all pages')),
});
export type AlertGroupsAnswer = v.InferOutput<typeof AlertGroupsAnswer>;

/** An alert of a user that holds, or has ended some days ago, and where it is. */
export const OwnAlert = v.object({
  ...Alert.entries,
  ended: v.pipe(
    v.number(),
    v.description(`The number of groups for which it ended in the last ${DAYS_ENDED} days`),
  ),
  changed_at: v.pipe(timestamp, v.description('When it last began or ended to hold for a group')),
  version_name: v.string(),
  source_id: v.number(),
  source_label: v.pipe(v.string(), v.description('The label of the source, or its table')),
});
export type OwnAlert = v.InferOutput<typeof OwnAlert>;
/** Answer of GET alerts/own, the last changed first. */
export const OwnAlertsAnswer = v.pipe(v.array(OwnAlert), v.maxLength(GROUPS_OF_PAGE));

/** Returns whether a person may change or delete an alert: who made it, its owner and an admin. */
export const mayChangeAlert = (
  { owner, created_by }: Pick<Alert, 'owner' | 'created_by'>,
  { name, isAdmin }: { name: string; isAdmin: boolean },
): boolean => isAdmin || name === owner || name === created_by;
