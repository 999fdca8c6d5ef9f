/** The names of sources and tables. */
import type { Source } from '$lib/contract/sources';

/** What a source is called: its label, or its table if it has none. */
export const sourceName = (source: Pick<Source, 'label' | 'tname'>): string =>
  source.label?.trim() || source.tname;

/** The table behind it, as a database person would write it. */
export const tableName = (source: Pick<Source, 'schema' | 'tname'>): string =>
  `${source.schema}.${source.tname}`;
