/** The facts that an export or a print states beside its numbers. */
import type { LogListEntry } from '$lib/contract/log';
import type { Fact } from '$lib/pivot/excel/about-sheet';
import type { PlanSession } from '$lib/plan/session.svelte';
import { user } from '$lib/client/user.svelte';
import type { Whole } from '$lib/pivot/grid/shown/window';
import { formatDay } from '$lib/pivot/values/date-language';
import { formatInstant } from '../../format';
import { sourceName, tableName } from '../../source-name';
import { limitFactText } from '../arrange/limit-items';
import { filterText } from '../text/filter-text';

type Stated = Pick<
  PlanSession,
  'planned' | 'arrangement' | 'fields' | 'comparison' | 'trial' | 'locks'
>;

/** Returns the facts that a print states above its numbers: those of an export, and the arrangement in words. */
export function printedFacts(
  session: Stated,
  {
    group_by,
    split_by,
    columns,
    labelOf,
  }: Pick<Whole, 'group_by' | 'split_by' | 'columns' | 'labelOf'>,
): Fact[] {
  const named = (names: readonly string[], separator: string) =>
    names.length > 0 ? names.map(labelOf).join(separator) : 'None';
  const measures = [...new Set(columns.map(({ measure }) => measure))];
  return [
    ['Rows', named(group_by, ' / ')],
    ['Columns', named(split_by, ' / ')],
    ['Measures', named(measures, ', ')],
    // Version and source are the title.
    ...pivotFacts(session, 'Printed').filter(([name]) => !['Version', 'Source'].includes(name)),
  ];
}

/**
 * Returns the facts that an export states beside its numbers: their version, time, filters, limits and author.
 *
 * @param done the name of the time
 */
export function pivotFacts(session: Stated, done = 'Exported'): Fact[] {
  const { planned, arrangement, fields, comparison, trial, locks } = session;
  const { current, source, asOf } = planned;
  const { isolated } = arrangement.entries;
  const filters = fields.filters.map((each): Fact => ['Filter', filterText(each, Infinity)]);
  const limits = arrangement.limits.map((fact): Fact => ['Limit', limitFactText(fact, session)]);
  const closed = locks
    .closedDates(planned.columns)
    .flatMap(({ date, ranges }) =>
      ranges.map(({ from, to }): Fact => [
        'Closed on actuals',
        `${planned.labelOf(date)} from ${formatDay(from)} through ${formatDay(to)}. Headers of closed months have a ✓.`,
      ]),
    );
  return [
    ['Version', current.name],
    ...(current.description ? [['Description', current.description] as const] : []),
    ['Source', `${sourceName(source)} (${tableName(source)})`],
    [
      'View',
      `${arrangement.views.open?.name ?? 'Default of the source'}${arrangement.differs ? ', changed' : ''}`,
    ],
    ...(filters.length > 0 ? filters : [['Filter', 'None'] as const]),
    ...limits,
    ['As of', asOf ? `After ${entryName(asOf)}` : 'Now'],
    ...(isolated ? [['Rows', `Only those of ${entryName(isolated)}`] as const] : []),
    ...closed,
    ...comparison.others.map(({ name }): Fact => ['Compared with', name]),
    ...(trial.lines.length > 0
      ? [['Not saved', 'Includes changes that are only being tried.'] as const]
      : []),
    [done, new Date()],
    ['Time zone', Intl.DateTimeFormat().resolvedOptions().timeZone],
    ['By', user.name || 'Unknown: no name is set'],
    ['Address', location.href],
  ];
}

const entryName = ({ id, operation, pf_user, stamp }: LogListEntry): string =>
  `entry ${id} (${operation} by ${pf_user}, ${formatInstant(stamp)})`;
