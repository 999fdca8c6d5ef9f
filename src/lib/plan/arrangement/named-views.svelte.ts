/** The named views of a source, and the open one. */
import * as v from 'valibot';
import * as api from '../../client/api';
import { Layout } from '../../contract/stored-layout';
import type { NamedView } from '../../contract/views';
import type { Pivot } from '../../pivot/pivot';
import { type Address, readAddress, withParts } from './address';
import { ownFilters } from '../version/own-part';
import type { PlannedVersion } from '../version/planned-version.svelte';

/** The named views of a source, by name, and the one that is open. */
export class NamedViews {
  /** Empty until they are read. */
  all = $state.raw<readonly NamedView[]>([]);
  /** The named view that is open; null for the layout that the source opens with. */
  open = $state.raw<NamedView | null>(null);

  constructor(private readonly planned: PlannedVersion) {}

  private get sourceId(): number {
    return this.planned.source.id;
  }

  /** Reads the views. @throws ApiError with the service's sentence; the list stays unchanged */
  async read(): Promise<void> {
    this.all = await api.call('GET /sources/{id}/views', { id: this.sourceId });
  }

  /**
   * Returns a view by its id, after reading the list again if it lacks the view. Null if there is none.
   *
   * @throws ApiError if the list could not be read
   */
  async find(id: number): Promise<NamedView | null> {
    const known = () => this.all.find((view) => view.id === id);
    if (!known()) await this.read();
    return known() ?? null;
  }

  /**
   * Returns the layout of an address before a pivot can show it, without the parts that a pivot adds, and
   * without a view that could not be read.
   */
  async expectedOf(search: string): Promise<Layout> {
    const address = readAddress(search);
    const { view } = address;
    const found = view === null ? null : await this.find(view).catch(() => null);
    const layout = this.layoutOf(found);
    const base = layout.success ? layout.output : {};
    return withParts(base, this.partsOf(address, base));
  }

  /**
   * Returns the parts of the layout that an address names. An address without any shows people who may change only
   * some of the rows that they see their own rows, unless the source's layout filters the same columns.
   *
   * @param base the layout that the source opens with
   */
  partsOf({ view, entry, asOf, parts }: Address, { filter = [] }: Layout): Layout {
    const isFirstLook =
      [view, entry, asOf].every((id) => id === null) && Object.keys(parts).length === 0;
    const own = isFirstLook ? ownFilters(this.planned.source) : [];
    const isFiltered = own.some(([column]) => filter.some(([other]) => other === column));
    return own.length > 0 && !isFiltered ? { filter: [...filter, ...own] } : parts;
  }

  /** The layout of the open view or the source: `automatic` if neither has one, `refused` if it is invalid. */
  openLayout(pivot: Pivot): Layout | 'automatic' | 'refused' {
    if (!this.open && this.planned.source.default_layout === null) return 'automatic';
    const layout = this.layoutOf(this.open);
    return layout.success ? pivot.withOthers(layout.output) : 'refused';
  }

  /** Returns the layout of the open view or the source, or an automatic one in its place. */
  baseLayout(pivot: Pivot): Layout {
    const layout = this.openLayout(pivot);
    return typeof layout === 'string' ? pivot.defaultLayout() : layout;
  }

  /** Parses the stored layout of a view, or the source's default for null; fails if it is not a layout. */
  layoutOf(view: NamedView | null): v.SafeParseResult<typeof Layout> {
    return v.safeParse(Layout, view ? view.layout : this.planned.source.default_layout);
  }

  /** Saves a layout as the default of the source. @throws ApiError */
  async saveAsDefault(layout: Layout): Promise<void> {
    const { source } = this.planned;
    const saved = await api.call('PATCH /sources/{id}', {
      id: source.id,
      body: { default_layout: { ...layout } },
    });
    source.default_layout = saved.default_layout;
  }

  /** Saves a layout as a new view, and opens it. @throws ApiError, 409 if the name is taken */
  async create(name: string, layout: Layout, pf_user: string): Promise<void> {
    this.put(
      await api.call('POST /sources/{id}/views', {
        id: this.sourceId,
        body: { name, layout: { ...layout }, pf_user },
      }),
    );
  }

  /** Saves a layout as the open view. @throws ApiError, 404 if somebody has deleted it */
  async save(layout: Layout): Promise<void> {
    if (this.open)
      this.put(
        await api.call('PATCH /views/{id}', { id: this.open.id, body: { layout: { ...layout } } }),
      );
  }

  /** Renames the open view. @throws ApiError, 409 if the name is taken */
  async rename(name: string): Promise<void> {
    if (this.open)
      this.put(await api.call('PATCH /views/{id}', { id: this.open.id, body: { name } }));
  }

  /** Deletes the open view. @throws ApiError, 404 if somebody has deleted it */
  async remove(): Promise<void> {
    const { open } = this;
    if (!open) return;
    await api.call('DELETE /views/{id}', { id: open.id });
    this.all = this.all.filter((view) => view.id !== open.id);
    this.open = null;
  }

  private put(changed: NamedView): void {
    const others = this.all.filter(({ id }) => id !== changed.id);
    this.all = [...others, changed].sort((a, b) => a.name.localeCompare(b.name));
    this.open = changed;
  }
}
