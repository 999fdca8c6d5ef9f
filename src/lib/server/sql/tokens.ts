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
  | 'set_clause'
  | 'scale_factor'
  | 'date_offset'
  | 'filter_clause';
export type TokenValues = Partial<Record<Token, string>>;

/**
 * Fills a template in one pass: what is put in is never read again, so a note that holds
 * `{{logid}}` or `$&` stays as it was typed. Values are SQL text, literals quoted already.
 *
 * @throws Error if the template asks for a token that has no value here
 */
export function substitute(template: string, values: TokenValues): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name as Token];
    if (value === undefined)
      throw new Error(`The template asks for {{${name}}}, which has no value`);
    return value;
  });
}
