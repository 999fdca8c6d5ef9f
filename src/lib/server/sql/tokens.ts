/** The tokens of stored templates, and how they are filled in. */
import { AppError } from '../errors';
import type { SqlText } from './quote';
import { trusted } from './trusted';

/** The tokens of the stored templates (docs/contract/08-substitution-tokens.md). */
type Token =
  | 'fc_table'
  | 'where_clause'
  | 'exclude_clause'
  | 'version_id'
  | 'logid'
  | 'pf_user'
  | 'note'
  | 'value_incr'
  | 'units_incr'
  | 'measure_incr'
  | 'with'
  | 'with_incr'
  | 'pct'
  | 'spread'
  | 'groups'
  | 'set_clause'
  | 'scale_factor'
  | 'date_offset'
  | 'filter_clause';
export type TokenValues = Partial<Record<Token, SqlText>>;

/** A token in a template: `{{name}}`. */
export const token = (name: Token): SqlText => trusted(`{{${name}}}`);

/**
 * Fills a template in one pass. Inserted values are not scanned again, so a note with `{{logid}}` or `$&`
 * stays as it was typed.
 * @throws AppError 409 if the template has an unknown token, because a newer version of the service has
 * generated it
 */
export function substitute(template: SqlText, values: TokenValues): SqlText {
  const known = new Map(Object.entries(values));
  const filled = template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = known.get(name);
    if (value === undefined)
      throw new AppError(
        409,
        `The SQL of this source asks for {{${name}}}, which this server does not know: a newer version of the service has generated it. Try again once all servers are upgraded, or generate the SQL again`,
      );
    return value;
  });
  return trusted(filled);
}
