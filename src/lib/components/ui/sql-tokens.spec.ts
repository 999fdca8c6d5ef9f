import { describe, expect, it } from 'vitest';
import { sqlTokens } from './sql-tokens';

const kinds = (sql: string) =>
  sqlTokens(sql)
    .filter((token) => token.kind !== 'plain')
    .map((token) => `${token.kind} ${token.text}`);

describe('sqlTokens', () => {
  it('names keywords, strings, numbers, comments and substitution points', () => {
    expect(
      kinds(
        "SELECT \"Order Date\", 'it''s' FROM {{fc_table}} WHERE n > 1.5 -- why\n/* and\nhow */",
      ),
    ).toEqual([
      'keyword SELECT',
      "string 'it''s'",
      'keyword FROM',
      'token {{fc_table}}',
      'keyword WHERE',
      'number 1.5',
      'comment -- why',
      'comment /* and\nhow */',
    ]);
  });

  it('does not mark keywords inside quoted identifiers and strings', () => {
    expect(kinds('"select"')).toEqual([]);
    expect(kinds("'select -- 1'")).toEqual(["string 'select -- 1'"]);
    expect(kinds('"a""from"')).toEqual([]);
  });

  it('keeps every character of any text', () => {
    for (const sql of ["SELECT 'open", '"open', '{{a', '/* open', 'é ∑ 1e5 a1', '', '\n\t ']) {
      expect(
        sqlTokens(sql)
          .map((token) => token.text)
          .join(''),
      ).toBe(sql);
    }
  });
});
