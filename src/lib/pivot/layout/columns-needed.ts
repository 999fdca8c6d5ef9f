/** The columns of a table that a layout or a view needs. */
import type { Layout } from '../../contract/stored-layout';
import type { Schema, ViewConfig } from '../values/engine-types';
import { namesUsed } from './layout';
import { couldNeed } from '../slice/underlying';

/** The parts of a layout or view that determine the columns it needs. */
type Config = Pick<Layout, 'group_by' | 'split_by' | 'columns' | 'filter' | 'sort'> &
  Partial<Pick<ViewConfig, 'expressions' | 'aggregates'>>;

/**
 * Returns the columns of a table that a layout or a view needs. The result may have some more: an expression
 * may need each column that its text could name.
 *
 * @param schema of all existing columns
 */
export function columnsNeeded(config: Config, schema: Schema): string[] {
  const used = new Set<unknown>(namesUsed(config));
  // The weights of a weighted mean are other columns.
  for (const [name, aggregate] of Object.entries(config.aggregates ?? {})) {
    if (used.has(name) && Array.isArray(aggregate)) for (const by of aggregate.flat()) used.add(by);
  }
  const texts = Object.values(config.expressions ?? {});
  return Object.keys(schema).filter(
    (name) => used.has(name) || texts.some((text) => couldNeed(text, name)),
  );
}
