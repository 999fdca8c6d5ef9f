import * as api from '../client/api';
import type { Layout } from '../contract/stored-layout';
import type { NamedView } from '../contract/views';

/** The named views of a source, by name. */
export class NamedViews {
  /** Empty until they are read. */
  all = $state.raw<readonly NamedView[]>([]);

  constructor(private readonly sourceId: number) {}

  /** @throws ApiError with the service's sentence; the list stays as it was */
  async read(): Promise<void> {
    this.all = await api.listViews(this.sourceId);
  }

  /** @throws ApiError, 409 if the name is taken */
  async create(name: string, layout: Layout, pf_user: string): Promise<NamedView> {
    const view = await api.createView(this.sourceId, { name, layout: { ...layout }, pf_user });
    this.replace(view);
    return view;
  }

  /** @throws ApiError, 404 if somebody has deleted it */
  async save({ id }: NamedView, layout: Layout): Promise<NamedView> {
    const view = await api.editView(id, { layout: { ...layout } });
    this.replace(view);
    return view;
  }

  /** @throws ApiError, 409 if the name is taken */
  async rename({ id }: NamedView, name: string): Promise<NamedView> {
    const view = await api.editView(id, { name });
    this.replace(view);
    return view;
  }

  /** @throws ApiError, 404 if somebody has deleted it */
  async remove({ id }: NamedView): Promise<void> {
    await api.deleteView(id);
    this.all = this.all.filter((view) => view.id !== id);
  }

  private replace(changed: NamedView): void {
    const others = this.all.filter(({ id }) => id !== changed.id);
    this.all = [...others, changed].sort((a, b) => a.name.localeCompare(b.name));
  }
}
