/** The names of sources and tables. */
import { contains } from '$lib/contract/folding';
import type { Source } from '$lib/contract/sources';

/** Returns the name of a source: its label, or the name of its table if it has none. */
export const sourceName = (source: Pick<Source, 'label' | 'tname'>): string =>
  source.label?.trim() || source.tname;

/** Returns the name of the source's table with its schema. */
export const tableName = (source: Pick<Source, 'schema' | 'tname'>): string =>
  `${source.schema}.${source.tname}`;

/** Returns whether a name contains all words of a search. */
export const hasWords = (name: string, search: string): boolean =>
  search
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => contains(name, word));
