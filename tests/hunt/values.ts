/** The kinds of columns of a hunted table. */
export type Kind =
  'text' | 'integer' | 'numeric' | 'boolean' | 'date' | 'timestamp' | 'interval' | 'jsonb';

/** The kind of a group's label: a kind of column, or the result of an expression over one. */
export type LabelKind = Kind | 'month' | 'quarter' | 'year' | 'float';

/** The text that PostgreSQL prints for a value; null is the empty value. */
export type Key = string | null;

export const ident = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The database type of a kind of column. */
export const sqlType = (kind: Kind): string => (kind === 'integer' ? 'bigint' : kind);

/** The statement that adds rows to a table in the schema public; empty without rows. */
export const insert = (tname: string, rows: readonly Key[][]): string => {
  const lines = rows.map(
    (row) => `(${row.map((key) => (key === null ? 'NULL' : literal(key))).join(', ')})`,
  );
  return lines.length === 0
    ? ''
    : `INSERT INTO public.${ident(tname)} VALUES ${lines.join(',\n')};`;
};

/** Values that are easily lost between a cell and its rows, as PostgreSQL prints them. */
export const POOLS: Record<Kind, readonly string[]> = {
  text: [
    '',
    ' ',
    '  ',
    'a ',
    ' a',
    'a',
    'b',
    'a|b',
    '|',
    'null',
    'NULL',
    '(empty)',
    '(blank)',
    '01',
    '1',
    '1.0',
    '😀',
    'é',
    "it's",
    'a"b',
    'x\\y',
    'x\\ny',
    'a\tb',
    'a\nb',
    '“a”',
    '“ ”',
    'true',
    'yes',
    'TOTAL',
    '__proto__',
    'constructor',
    'toString',
    '__ROW_PATH__',
    'undefined',
    'NaN',
    '{{where_clause}}',
    '$1',
    '%s',
    '<b>x</b>',
    '&amp;',
    '2026-01-01',
    'Jan 2026',
    `long ${'label '.repeat(330)}end`,
  ],
  integer: ['0', '1', '-1', '40', '2147483647', '-2147483648', '2147483648', '9007199254740991'],
  numeric: [
    '0',
    '1',
    '-1.5',
    '100000',
    '100000.25',
    '0.3',
    '0.30000000000000004',
    '0.1',
    '1234567.125',
    '1234567.126',
    '0.000001',
    '12345678901234567',
  ].filter((text) => Math.abs(Number(text)) < 2 ** 53),
  boolean: ['true', 'false'],
  date: [
    '2025-12-31',
    '2026-01-01',
    '2026-01-31',
    '2026-02-01',
    '2024-02-29',
    '1969-12-31',
    '1970-01-01',
    '9999-12-31',
    '0001-01-01',
  ],
  timestamp: [
    '2026-01-31 23:59:59',
    '2026-01-31 23:59:59.5',
    '2026-02-01 00:00:00',
    '2026-02-01 00:00:00.0001',
    '2026-02-01 00:00:00.0002',
    '1969-12-31 23:59:59.999',
  ],
  interval: ['1 day', '24:00:00', '1 mon', '30 days', '00:00:00'],
  jsonb: ['1', '1.0', '"a"', 'null', '{"a": 1}', '{"a": 1.00}'],
};

/** Rare values; a pivot cannot hold some of them, and a load refuses these. */
export const ODD_VALUES: Partial<Record<Kind, readonly string[]>> = {
  numeric: ['0.10000000000000000001', '0.33333333333333333333'],
  date: ['10000-01-01', '12026-03-31', '0044-03-15 BC', '65536-01-01'],
};

/**
 * Returns the value by which a pivot groups, in SQL. A number is a double in a browser; a value of a type
 * that browsers lack is grouped by its text.
 */
export const groupSql = (kind: Kind, column: string): string =>
  kind === 'numeric' ? `${column}::double precision` : leafSql(kind, column);

/**
 * Returns the SQL that distinguishes two leaves: the text, for values that are equal but print differently.
 */
export const leafSql = (kind: Kind, column: string): string =>
  kind === 'interval' || kind === 'jsonb' ? `${column}::text` : column;

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Returns the expected label of a group. */
export function labelOf(key: Key, kind: LabelKind): string {
  if (key === null) return '(empty)';
  switch (kind) {
    case 'text':
    case 'interval':
    case 'jsonb':
      return textLabel(key);
    case 'boolean':
      return key === 'true' ? 'yes' : 'no';
    case 'integer':
    case 'numeric':
    case 'float':
      return String(Number(key));
    case 'month':
    case 'quarter':
    case 'year': {
      const [, year = '', month = '', era = ''] = /^(\d+)-(\d\d)-\d\d( BC)?/.exec(key) ?? [];
      const shown = `${Number(year)}${era}`;
      if (kind === 'quarter') return `Q${Math.ceil(Number(month) / 3)} ${shown}`;
      return kind === 'year' ? shown : `${MONTHS[Number(month) - 1]} ${shown}`;
    }
    case 'date': {
      const [, year = '', month = '', day = ''] = /^([1-9]\d{3})-(\d\d)-(\d\d)$/.exec(key) ?? [];
      return year ? `${MONTHS[Number(month) - 1]} ${Number(day)}, ${year}` : key;
    }
    case 'timestamp':
      return key;
  }
}

/**
 * Returns a text as written; in quotes if it could be mistaken for something else or has invisible blanks.
 */
function textLabel(text: string): string {
  if (text === '') return '(blank)';
  const plain =
    text !== '(empty)' && text !== '(blank)' && !text.startsWith('“') && !HIDDEN.test(text);
  return plain ? text : `“${text.replace(/[\\\t\n]/g, (c) => ESCAPES[c] ?? c)}”`;
}

const HIDDEN = /^\s|\s$|\s\s|[\t\n]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' };
