/** The named views of a source, and the open one. */
import * as v from 'valibot';
import * as api from '../client/api';
import { Layout } from '../contract/stored-layout';
import type { NamedView } from '../contract/views';
import type { PlannedVersion } from './planned-version.svelte';

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
    this.all = await api.listViews(this.sourceId);
  }

  /** Returns a view by its id, after reading the list again if it lacks the view. Null if there is none. */
  async find(id: number): Promise<NamedView | null> {
    const known = () => this.all.find((view) => view.id === id);
    if (!known()) await this.read().catch(() => undefined);
    return known() ?? null;
  }

  /** Parses the stored layout of a view, or the source's default for null; fails if it is not a layout. */
  layoutOf(view: NamedView | null): v.SafeParseResult<typeof Layout> {
    return v.safeParse(Layout, view ? view.layout : this.planned.source.default_layout);
  }

  /** Saves a layout as the default of the source. @throws ApiError */
  async saveAsDefault(layout: Layout): Promise<void> {
    const { source } = this.planned;
    const saved = await api.editSource(source.id, { default_layout: { ...layout } });
    source.default_layout = saved.default_layout;
  }

  /** Saves a layout as a new view, and opens it. @throws ApiError, 409 if the name is taken */
  async create(name: string, layout: Layout, pf_user: string): Promise<void> {
    this.put(await api.createView(this.sourceId, { name, layout: { ...layout }, pf_user }));
  }

  /** Saves a layout as the open view. @throws ApiError, 404 if somebody has deleted it */
  async save(layout: Layout): Promise<void> {
    if (this.open) this.put(await api.editView(this.open.id, { layout: { ...layout } }));
  }

  /** Renames the open view. @throws ApiError, 409 if the name is taken */
  async rename(name: string): Promise<void> {
    if (this.open) this.put(await api.editView(this.open.id, { name }));
  }

  /** Deletes the open view. @throws ApiError, 404 if somebody has deleted it */
  async remove(): Promise<void> {
    const { open } = this;
    if (!open) return;
    await api.deleteView(open.id);
    this.all = this.all.filter((view) => view.id !== open.id);
    this.open = null;
  }

  private put(changed: NamedView): void {
    const others = this.all.filter(({ id }) => id !== changed.id);
    this.all = [...others, changed].sort((a, b) => a.name.localeCompare(b.name));
    this.open = changed;
  }
}
