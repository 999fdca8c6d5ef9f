import type { Role } from '../../src/lib/contract/columns';
import type { Service } from './service';

/** A version of a table, with its baseline loaded. */
export interface PlannedTable {
  sourceId: number;
  versionId: number;
  /** Quoted name of its forecast table. */
  table: string;
  rowCount: number;
}

/**
 * Makes a version of a table in the schema public, through the API.
 *
 * @param columns roles, or roles and labels, by column; columns left out are ignored
 */
export async function planTable(
  { api }: Service,
  tname: string,
  columns: Record<string, Role | { role: Role; label: string }>,
): Promise<PlannedTable> {
  const source = (await api.post('/sources', { schema: 'public', tname })).body;
  const saved = Object.entries(columns).map(([cname, column]) => ({
    cname,
    ...(typeof column === 'string' ? { role: column } : column),
  }));
  await api.put(`/sources/${source.id}/columns`, saved);
  await api.post(`/sources/${source.id}/sql`);
  const version = (await api.post(`/sources/${source.id}/versions`, { name: 'Plan' })).body;
  const loaded = await api.post(`/versions/${version.id}/baseline`, { pf_user: 'ana' });
  if (loaded.status !== 201 && loaded.status !== 200) throw new Error(loaded.body.error);
  return {
    sourceId: source.id,
    versionId: version.id,
    table: `pf."fc_${tname}_${version.id}"`,
    rowCount: loaded.body.row_count,
  };
}
