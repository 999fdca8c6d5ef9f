/** The facts that an export states beside its numbers. */
import type { LogListEntry } from '$lib/contract/log';
import type { Fact } from '$lib/pivot/excel/about-sheet';
import type { PlanSession } from '$lib/plan/session.svelte';
import { user } from '$lib/client/user.svelte';
import { formatDay } from '$lib/pivot/values/date-language';
import { formatInstant } from '../../format';
import { sourceName, tableName } from '../../source-name';
import { filterText } from '../text/filter-text';

/** Returns the facts that an export states beside its numbers: their version, time, filters and author. */
export function pivotFacts({
  planned,
  arrangement,
  fields,
  comparison,
  trial,
  locks,
}: Pick<
  PlanSession,
  'planned' | 'arrangement' | 'fields' | 'comparison' | 'trial' | 'locks'
>): Fact[] {
  const { current, source, asOf } = planned;
  const { isolated } = arrangement.entries;
  const filters = fields.filters.map((each): Fact => ['Filter', filterText(each, Infinity)]);
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
    ['As of', asOf ? `After ${entryName(asOf)}` : 'Now'],
    ...(isolated ? [['Rows', `Only those of ${entryName(isolated)}`] as const] : []),
    ...closed,
    ...comparison.others.map(({ name }): Fact => ['Compared with', name]),
    ...(trial.isStanding
      ? [['Not saved', 'Includes changes that are only being tried.'] as const]
      : []),
    ['Exported', new Date()],
    ['Time zone', Intl.DateTimeFormat().resolvedOptions().timeZone],
    ['By', user.name || 'Unknown: no name is set'],
    ['Address', location.href],
  ];
}

const entryName = ({ id, operation, pf_user, stamp }: LogListEntry): string =>
  `entry ${id} (${operation} by ${pf_user}, ${formatInstant(stamp)})`;
