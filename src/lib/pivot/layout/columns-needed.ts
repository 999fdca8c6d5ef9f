import type { Layout } from '../../contract/stored-layout';
import type { Schema, ViewConfig } from '../values/engine-types';
import { namesUsed } from './layout';
import { couldNeed } from '../slice/underlying';

/** What of a layout or of a view says which columns it goes by. */
type Config = Pick<Layout, 'group_by' | 'split_by' | 'columns' | 'filter' | 'sort'> &
  Partial<Pick<ViewConfig, 'expressions' | 'aggregates'>>;

/**
 * The columns of a table that a layout or a view goes by, and maybe some more: an expression may need each
 * column that its text could name.
 *
 * @param schema of all columns that there are
 */
export function columnsNeeded(config: Config, schema: Schema): string[] {
  const used = new Set<unknown>(namesUsed(config));
  // A mean is weighted by other columns.
  for (const [name, aggregate] of Object.entries(config.aggregates ?? {})) {
    if (used.has(name) && Array.isArray(aggregate)) for (const by of aggregate.flat()) used.add(by);
  }
  const texts = Object.values(config.expressions ?? {});
  return Object.keys(schema).filter(
    (name) => used.has(name) || texts.some((text) => couldNeed(text, name)),
  );
}
