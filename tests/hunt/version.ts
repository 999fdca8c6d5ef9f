/** The source and version of a hunted table. */
import type { Query, Service } from '../support/service';
import { columnsBehind, lookupOf } from './lookups';
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
    ...(table.attributes ?? []).map(
      (attribute) => () => api.post(`/sources/${source}/lookups`, lookupOf(attribute)),
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
  if (table.closed !== undefined) await close({ api, query }, table, id);
  if (table.copies !== undefined) await untilIndexed(query, table, id);
  return { source, version: id };
}

/** Closes months on rows of the source that have changed since the load. */
async function close(
  { api, query }: Pick<Service, 'api' | 'query'>,
  { name, columns, measures, closed }: HuntTable,
  version: number,
): Promise<void> {
  const day = ident(columns.find(({ role }) => role === 'date')?.name ?? '');
  const [first, second] = columns.map((column) => ident(column.name));
  const changed = measures.map((measure) => `${ident(measure.name)} = ${ident(measure.name)} + 1`);
  await query(`UPDATE public.${ident(name)} SET ${changed.join(', ')}
    WHERE ${day} <= '${closed}' AND (${first}, ${second}) IN (
      SELECT ${first}, ${second} FROM public.${ident(name)} GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 3)`);
  const { status, body } = await api.post(`/versions/${version}/actuals`, {
    through: closed,
    pf_user: 'hunter',
  });
  if (status >= 300) throw new Error(`The months were not closed: ${body.error}`);
}

/** Waits until a version has indexes for slices. */
async function untilIndexed(query: Query, table: HuntTable, version: number): Promise<void> {
  const deadline = Date.now() + 120_000;
  const found = () =>
    query(`SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = to_regclass($$${storedTable(table, version)}$$) AND i.indisvalid
        AND c.relname LIKE 'slice%'`);
  while ((await found()).length === 0) {
    if (Date.now() > deadline) throw new Error('The version got no indexes for slices');
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** Deletes a table with its version and source. */
export async function dropVersion(
  { api, query }: Service,
  table: HuntTable,
  made: { source: number; version: number },
): Promise<void> {
  await api.del(`/versions/${made.version}`);
  await api.del(`/sources/${made.source}`);
  const lookups = (table.attributes ?? []).map(({ tname }) => tname);
  for (const tname of [table.name, ...lookups]) await query(`DROP TABLE public.${ident(tname)}`);
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
    values: values
      .slice(0, 20)
      .map((v) => (v !== null && v.length > 60 ? `${v.slice(0, 20)} …` : v)),
  })),
  measures: table.measures,
  ...(table.formulas?.length && { formulas: table.formulas }),
  ...(table.attributes?.length && {
    attributes: table.attributes.map((each) => ({
      ...{ name: each.name, range: each.range !== null, rows: each.rows.length },
      keys: columnsBehind(each).map(({ name }) => name),
    })),
  }),
  rows: table.rows.length,
  ...(table.copies && { copies: table.copies }),
  ...(table.closed && { closed: table.closed }),
  reference: table.reference,
});
