/** The planner's choice of a shape, and the shapes to choose from. */
import * as api from '../../client/api';
import { Latest } from '../../client/latest.svelte';
import { keep, kept } from '../../client/storage';
import type { NamedProfile } from '../../contract/profiles';
import type { SlicePreview } from '../../contract/previews';
import type { Slice } from '../../contract/slices';
import type { VersionListEntry } from '../../contract/versions';
import type { Loading } from '../version/loading.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Selection } from '../selection/selection.svelte';
import type { Spread } from '../amounts/operation';
import {
  datedPattern,
  LIKE_REFERENCE,
  matchOf,
  needsMonths,
  seasonality,
  shapeFor,
  shapeText,
  WEEK_PROFILES,
  weekProfile,
  type MadeShape,
  type PickedCell,
  type ShapeChoice,
} from '../amounts/shape';

/** A shape that is offered, with its key in the list. */
interface Offer {
  key: string;
  label: string;
  group: 'By profile' | 'Like';
  choice: ShapeChoice;
}

/** Where the browser stores that amounts are spread equally. */
const KEY = 'pf.spread';

/** Returns the key of the offer of a profile. */
const keyOf = (id: number): string => `profile:${id}`;

const FIXED: readonly Offer[] = [
  { key: 'even', label: 'evenly by month', group: 'By profile', choice: { kind: 'even' } },
  { key: 'days', label: 'by days of each month', group: 'By profile', choice: { kind: 'days' } },
  { key: 'ramp', label: 'rising by month', group: 'By profile', choice: { kind: 'ramp' } },
  ...WEEK_PROFILES.map((name): Offer => {
    return { key: name, label: name, group: 'By profile', choice: weekProfile(name) };
  }),
];

/**
 * How the amounts of the next scale are spread, however they are entered: over the leaves, or first over months by
 * a shape. It is a setting of the panel.
 */
export class Shapes {
  /** How amounts are spread over the leaves without a shape. */
  overLeaves = $state<Spread>(kept(KEY) === 'equal' ? 'equal' : 'proportional');
  /** The chosen shape; null if amounts are spread without one. */
  chosen = $state.raw<ShapeChoice | null>(null);
  /** The key of the offer that was chosen; null if none was. */
  key = $state.raw<string | null>(null);
  /** The profiles of the source. */
  readonly profiles = new Latest<readonly NamedProfile[]>();
  /** The cell that was picked last, as an offer; null if none was. */
  private picked = $state.raw<Offer | null>(null);
  private readonly versions = new Latest<readonly VersionListEntry[]>();
  private readonly periodColumns: readonly string[];

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly selection: Selection,
  ) {
    const periods = planned.columns.filter((column) => column.dim_period_col !== null);
    this.periodColumns = periods.map(({ cname }) => cname);
  }

  /** Reads the profiles and the versions that are offered. */
  read(): void {
    const { source } = this.planned;
    this.profiles.ask((signal) =>
      api.call('GET /sources/{id}/profiles', { id: source.id, signal }),
    );
    this.versions.ask((signal) =>
      api.call('GET /sources/{id}/versions', { id: source.id, signal }),
    );
  }

  /** Reads them if they were never read. */
  readOnce(): void {
    if (this.profiles.answer === null && !this.profiles.waiting) this.read();
  }

  /** The shapes to choose from; none if the source has no dates. */
  readonly offers: readonly Offer[] = $derived.by(() => {
    if (this.planned.dateColumn === undefined) return [];
    const named = (this.profiles.answer ?? []).map(({ id, name, weights }): Offer => {
      const choice = { kind: 'profile', name, weights } as const;
      return { key: keyOf(id), label: name, group: 'By profile', choice };
    });
    const ofLike = { kind: 'like', match: 'date', leavesOut: false } as const;
    const versions = (this.versions.answer ?? []).flatMap(({ id, name }): Offer[] => {
      if (id === this.planned.id) return [];
      const choice = { ...ofLike, pattern: { kind: 'version', id, name } } as const;
      return [{ key: `version:${id}`, label: `like ${name}`, group: 'Like', choice }];
    });
    const hasReference = this.loading.pivot?.origins.compares ?? false;
    const reference: Offer = {
      ...{ key: 'reference', label: 'like the reference', group: 'Like' },
      choice: LIKE_REFERENCE,
    };
    const { picked } = this;
    const like = [...(hasReference ? [reference] : []), ...versions, ...(picked ? [picked] : [])];
    return [...FIXED, ...named, ...like];
  });

  /** How amounts are spread: "Amounts are spread equally."; null for in proportion. */
  get sentence(): string | null {
    const overLeaves = this.overLeaves === 'equal' ? 'equally' : null;
    const how = this.chosen ? shapeText(this.chosen) : overLeaves;
    return how && `Amounts are spread ${how}.`;
  }

  /** Stores in the browser that amounts are spread equally, for other tabs and days, if it is pinned. */
  store(isPinned: boolean): void {
    keep(KEY, isPinned && this.overLeaves === 'equal' ? this.overLeaves : null);
  }

  /** Chooses an offer; null chooses to spread without a shape. */
  choose(offer: Pick<Offer, 'key' | 'choice'> | null): void {
    this.key = offer?.key ?? null;
    this.change(offer?.choice ?? null);
  }

  /** Chooses the shape of the reference, or none if it is chosen. Without a reference, the choice stays. */
  toggleReference(): void {
    const reference = this.offers.find(({ key }) => key === 'reference');
    if (reference) this.choose(this.key === 'reference' ? null : reference);
  }

  /** Offers a picked cell or row as a pattern for the rows of a slice, and chooses it. */
  pick(picked: PickedCell, slice: Slice): void {
    const { dateColumn = '' } = this.planned;
    const columns = [dateColumn, ...this.periodColumns];
    const match = matchOf(slice, datedPattern(picked.slice, slice, columns), dateColumn);
    const choice = { kind: 'like', pattern: picked, match, leavesOut: false } as const;
    this.picked = { key: 'cell', label: `like ${picked.name}`, group: 'Like', choice };
    this.choose(this.picked);
  }

  /** Changes the details of the chosen shape. */
  change(choice: ShapeChoice | null): void {
    this.chosen = choice;
    const needed = needsMonths(choice);
    this.planned.byMonth = needed;
    if (needed && !this.selection.preview.answer?.groups) void this.selection.readTotals();
  }

  /**
   * Saves a profile and chooses it.
   *
   * @param id the profile that is changed; null creates one
   * @throws ApiError with the service's sentence; nothing is saved in that case
   */
  async save(
    id: number | null,
    { name, weights }: Pick<NamedProfile, 'name' | 'weights'>,
    pf_user: string,
  ): Promise<void> {
    const { source } = this.planned;
    const saved =
      id === null
        ? await api.call('POST /sources/{id}/profiles', {
            id: source.id,
            body: { name, weights, pf_user },
          })
        : await api.call('PATCH /profiles/{id}', { id, body: { name, weights } });
    this.read();
    await this.profiles.settled();
    this.choose({
      key: keyOf(saved.id),
      choice: { kind: 'profile', name: saved.name, weights: saved.weights },
    });
  }

  /** Deletes a profile. @throws ApiError with the service's sentence */
  async remove(id: number): Promise<void> {
    await api.call('DELETE /profiles/{id}', { id });
    if (this.key === keyOf(id)) this.choose(null);
    this.read();
    await this.profiles.settled();
  }

  /** Reads the seasonality of a slice; see {@link seasonality}. @throws ApiError */
  async seasonalityOf(slice: Slice, key: string): Promise<number[] | string> {
    const { groups = [] } = await this.planned.readSlice(slice, undefined, true);
    return seasonality(groups, key);
  }

  /** Returns the spread of a scale of a slice for a shape; see {@link shapeFor}. */
  made(choice: ShapeChoice, slice: Slice, stored: SlicePreview): MadeShape {
    const { planned, periodColumns } = this;
    const column = planned.dateColumn;
    if (column === undefined) return { problem: 'The source has no date to group by.' };
    return shapeFor(choice, { slice, column, periodColumns, groups: stored.groups });
  }
}
