/** The source and version of a hunted table. */
import type { Service } from '../support/service';
import { tableSql, type HuntTable } from './table';
import { ident } from './values';

/**
 * Makes a table, its source and a version with its rows.
 *
 * @param layout the source's default layout
 * @returns why the service refuses the table, if it does
 */
export async function makeVersion(
  { api, query }: Service,
  table: HuntTable,
  layout: Record<string, unknown>,
): Promise<{ source: number; version: number } | string> {
  await query(tableSql(table));
  const source = (await api.post('/sources', { schema: 'public', tname: table.name })).body.id;
  const steps = [
    () =>
      api.put(`/sources/${source}/columns`, [
        ...table.columns.map(({ name, role, grain, key }) => ({
          cname: name,
          role,
          in_grain: grain,
          is_key: key && role === 'dimension',
        })),
        ...table.measures.map(({ name, role }) => ({ cname: name, role })),
      ]),
    () => api.post(`/sources/${source}/sql`),
    ...(table.formulas ?? []).map(
      ({ name, expression }) =>
        () =>
          api.post(`/sources/${source}/formulas`, { name, expression, pf_user: 'hunter' }),
    ),
    () => api.patch(`/sources/${source}`, { default_layout: layout }),
  ];
  for (const step of steps) {
    const { status, body } = await step();
    if (status >= 400) return `setup: ${body.error}`;
  }
  const { id } = (await api.post(`/sources/${source}/versions`, { name: 'Plan' })).body;
  const loads = ['baseline', ...(table.reference ? ['reference'] : [])];
  for (const load of loads) {
    const { status, body } = await api.post(`/versions/${id}/${load}`, { pf_user: 'hunter' });
    if (status >= 400) return `load: ${body.error}`;
  }
  return { source, version: id };
}

/** Deletes a table with its version and source. */
export async function dropVersion(
  { api, query }: Service,
  table: HuntTable,
  made: { source: number; version: number },
): Promise<void> {
  await api.del(`/versions/${made.version}`);
  await api.del(`/sources/${made.source}`);
  await query(`DROP TABLE public.${ident(table.name)}`);
}

/** The forecast table of a version, as SQL. */
export const storedTable = (table: HuntTable, version: number): string =>
  `pf.${ident(`fc_${table.name}_${version}`)}`;

/** A table without its rows, for the story of a case. */
export const describe = (table: HuntTable) => ({
  columns: table.columns.map(({ name, kind, role, grain, key, values }) => ({
    name,
    kind,
    ...(role === 'date' && { role }),
    ...(grain && { grain }),
    ...(key && { key }),
    values: values.map((v) => (v !== null && v.length > 60 ? `${v.slice(0, 20)} …` : v)),
  })),
  measures: table.measures,
  ...(table.formulas?.length && { formulas: table.formulas }),
  rows: table.rows.length,
  reference: table.reference,
});
