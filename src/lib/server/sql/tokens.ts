import type { SqlText } from './quote';
import { trusted } from './trusted';

/** The substitution points of the stored templates (docs/contract/08-substitution-tokens.md). */
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
  | 'pct'
  | 'spread'
  | 'set_clause'
  | 'scale_factor'
  | 'date_offset'
  | 'filter_clause';
export type TokenValues = Partial<Record<Token, SqlText>>;

/** The place of a token in a template: `{{name}}`. */
export const token = (name: Token): SqlText => trusted(`{{${name}}}`);

/**
 * Fills a template in one pass. What is put in is never read again, so a note that holds `{{logid}}`
 * or `$&` stays as it was typed.
 *
 * @throws Error if the template asks for a token that has no value here
 */
export function substitute(template: SqlText, values: TokenValues): SqlText {
  const known = new Map(Object.entries(values));
  const filled = template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = known.get(name);
    if (value === undefined)
      throw new Error(`The template asks for {{${name}}}, which has no value`);
    return value;
  });
  return trusted(filled);
}
