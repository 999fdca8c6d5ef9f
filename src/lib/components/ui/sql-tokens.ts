/** Splits SQL into tokens to colour. */

type SqlTokenKind = 'plain' | 'keyword' | 'string' | 'number' | 'comment' | 'token';
type SqlToken = { kind: SqlTokenKind; text: string };

const KEYWORDS = new Set(
  `all and any array as asc between by case cast cross current_date delete desc distinct else end
  except exists false filter first from full group having ilike in inner insert interval into is
  join last lateral left like limit not null nulls offset on only or order outer over partition
  recursive returning right rows select set then true union unnest update using values when where
  window with`.split(/\s+/),
);

// In order: {{token}}, comments, strings, quoted identifiers, numbers, words. The rest is plain.
const PARTS =
  /(\{\{\w+\}\})|(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*')|("(?:[^"]|"")*")|(\b\d+(?:\.\d+)?\b)|([A-Za-z_]\w*)/g;

/** Splits SQL into the parts that the highlighter colours. Joined, their texts are the SQL again. */
export function sqlTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  const push = (kind: SqlTokenKind, text: string) => {
    const last = tokens.at(-1);
    if (last?.kind === kind && kind === 'plain') last.text += text;
    else if (text !== '') tokens.push({ kind, text });
  };
  let end = 0;
  for (const match of sql.matchAll(PARTS)) {
    push('plain', sql.slice(end, match.index));
    end = match.index + match[0].length;
    push(tokenKindOf(match), match[0]);
  }
  push('plain', sql.slice(end));
  return tokens;
}

function tokenKindOf([, token, comment, string, , number, word]: RegExpMatchArray): SqlTokenKind {
  if (token) return 'token';
  if (comment) return 'comment';
  if (string) return 'string';
  if (number) return 'number';
  return word && KEYWORDS.has(word.toLowerCase()) ? 'keyword' : 'plain';
}
